/**
 * Checks bytes against RFC 8259, as strictly as `JSON.parse` does, and reports where parts are. In
 * AssemblyScript: `npm run wasm` makes `src/blob/json-scan-code.ts` of it, for `src/blob/json-machine.ts`.
 *
 * The slice ends with a NUL, which is expected nowhere: a look at the next byte needs no check whether
 * there is one.
 */
import {
  AFTER_ALL,
  AFTER_KEY,
  AFTER_VALUE,
  BASE_F64,
  COLLECTED_I32,
  COMMAS_I32,
  COMPLETE_NUMBERS,
  COUNTED_DEPTH,
  DEPTH_I32,
  ENDED,
  EVENTS_AT,
  EVENT_BYTES,
  EVENT_COUNT_I32,
  EXPONENT,
  EXPONENT_DIGITS,
  EXPONENT_SIGN,
  FAILURE_I32,
  FIRST_BITS_I32,
  FIRST_BYTES_AT,
  FIRST_BYTE_I32,
  FIRST_COUNT_I32,
  FIRST_ELEMENT,
  FIRST_KEY,
  FRACTION,
  INTEGER,
  IS_COMMA_AWAITED_I32,
  IS_LINES_I32,
  IS_PAUSED_I32,
  KEY,
  KEY_START_F64,
  KEY_STRING,
  LARGE_I32,
  MAX_DEPTH_I32,
  MAX_MARKED_DEPTH,
  MEMBER_KEYS_AT,
  MEMBER_PLACES_AT,
  MINUS,
  NEXT_LOOK_F64,
  NUMBER,
  NUMBER_I32,
  ON_END,
  ON_KEY,
  ON_LINE,
  ON_MARK,
  ON_MEMBERS,
  ON_VALUE,
  OUTER_COMMAS_AT,
  PART_COUNT_I32,
  POINT,
  SLICE_AT,
  SPACING_I32,
  STACK_AT,
  STARTS_AT,
  STATE_I32,
  STRING,
  SYNTAX,
  TOO_DEEP,
  UNMARKED_I32,
  VALUE,
  VALUE_START_F64,
  WANTS_MEMBERS_I32,
  WANTS_PARTS_I32,
  ZERO,
} from "../src/blob/scan-memory";
import { BACKSLASH, LANES, byteAt } from "./bytes";
import { collectKey } from "./collect-key";

export { fillFilter } from "./key-filter";

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS_SIGN = 0x2b;
const COMMA = 0x2c;
const MINUS_SIGN = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const COLON = 0x3a;
const ARRAY = 0x5b;
const LETTER_A = 0x61;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OBJECT = 0x7b;

// Literals as words: the lowest byte is the first.
const TRUE = 0x65757274;
const NULL = 0x6c6c756e;
const FALS = 0x736c6166;

/** A place that no slice has. */
const NOWHERE: i32 = 0x3fff_ffff;

let events: usize = 0;
let base: i64 = 0;
let spacing: i32 = 0;
let nextLook: i64 = 0;
let large: i32 = 0;
let unmarked: i32 = 0;
let isCommaAwaited: i32 = 0;
let collected: i32 = 0;
let isPaused: i32 = 0;
let memberKeysEnd: usize = 0;
let memberPlacesEnd: usize = 0;

/**
 * Scans the slice of so many bytes, from `from` on. The result is how far it has come: to the end, to a
 * part of a token there that is to be looked at again with what follows it, or to where it has paused.
 */
export function scan(from: i32, length: i32): i32 {
  base = i64(f64Field(BASE_F64));
  events = EVENTS_AT;
  spacing = i32Field(SPACING_I32);
  nextLook = i64(f64Field(NEXT_LOOK_F64));
  large = i32Field(LARGE_I32);
  unmarked = i32Field(UNMARKED_I32);
  isCommaAwaited = i32Field(IS_COMMA_AWAITED_I32);
  collected = i32Field(COLLECTED_I32);
  isPaused = 0;
  memberKeysEnd = MEMBER_KEYS_AT;
  memberPlacesEnd = MEMBER_PLACES_AT;

  const end: usize = SLICE_AT + length;
  // What is to be added to a place in memory for its offset in the input.
  const origin = base - i64(SLICE_AT);
  const isLines = i32Field(IS_LINES_I32) === 1;
  const wantsParts = i32Field(WANTS_PARTS_I32) === 1;
  const wantsMembers = i32Field(WANTS_MEMBERS_I32) === 1;
  const maxDepth = i32Field(MAX_DEPTH_I32);
  let at: usize = SLICE_AT + from;
  let state = i32Field(STATE_I32);
  let depth = i32Field(DEPTH_I32);
  let container = containerAt(depth);
  let keyStart = i64(f64Field(KEY_START_F64));
  let valueStart = i64(f64Field(VALUE_START_F64));
  let firstByte = i32Field(FIRST_BYTE_I32);
  let number = i32Field(NUMBER_I32);
  let partCount = i32Field(PART_COUNT_I32);
  let commas = i32Field(COMMAS_I32);
  let lookAt = placeOfLook();
  let watched = watchedDepths();
  let keyed = collected;
  let failure = 0;

  for (;;) {
    // Goes from one token to the next; ends at what is not expected, or not yet.
    for (;;) {
      if (state <= KEY) {
        if (byteAt(at) !== QUOTE) break;
        keyStart = origin + i64(at);
        at++;
        state = KEY_STRING;
      }
      if (state === KEY_STRING) {
        // Here and for a value, not in a function of its own: calls take a fifth of the speed.
        at = skipPlain(at);
        if (byteAt(at) === BACKSLASH) at = skipEscapes(at);
        if (byteAt(at) !== QUOTE) break;
        at++;
        state = AFTER_KEY;
        if (depth === 1 && wantsMembers) {
          keepMemberKey(keyStart, at);
          store<u8>(memberKeysEnd++, COMMA);
        }
        if (hasBit(keyed, depth) && depth <= MAX_MARKED_DEPTH) {
          endKey(depth, wantsParts && depth === 1, keyStart, origin + i64(at));
        } else if (depth === 1 && wantsParts) {
          report(ON_KEY | (1 << 4), 0, keyStart, origin + i64(at));
        }
      }
      if (state === AFTER_KEY) {
        if (byteAt(at) !== COLON) break;
        at++;
        state = VALUE;
      }
      if (state <= VALUE) {
        const byte = byteAt(at);
        if (depth <= 1) {
          valueStart = origin + i64(at);
          firstByte = byte;
          if (depth === 0 && isLines) {
            if (byte !== OBJECT && byte !== ARRAY) break;
            report(ON_LINE, 0, valueStart, valueStart);
          }
        }
        if (byte === QUOTE) {
          at++;
          state = STRING;
        } else if (byte === OBJECT || byte === ARRAY) {
          if (depth === maxDepth) {
            failure = TOO_DEEP;
            break;
          }
          depth++;
          container = byte;
          store<u8>(STACK_AT + depth, byte);
          if (depth <= COUNTED_DEPTH) {
            store<i32>(OUTER_COMMAS_AT + (depth << 2), commas);
            store<i64>(STARTS_AT + (depth << 3), origin + i64(at));
            commas = 0;
          }
          at++;
          state = byte === OBJECT ? FIRST_KEY : FIRST_ELEMENT;
          continue;
        } else if (isDigit(byte) || byte === MINUS_SIGN) {
          // Most are digits up to a comma or an end.
          at++;
          if (byte > DIGIT_0) {
            number = INTEGER;
            at = skipDigits(at);
          } else {
            number = byte === DIGIT_0 ? ZERO : MINUS;
          }
          const next = byteAt(at);
          const hasEnded = number !== MINUS && (next === COMMA || next === container + 2);
          state = hasEnded ? ENDED : NUMBER;
        } else {
          const behind = skipLiteral(at);
          if (behind === at) break;
          at = behind;
          state = ENDED;
        }
      }
      if (state === STRING) {
        at = skipPlain(at);
        if (byteAt(at) === BACKSLASH) at = skipEscapes(at);
        if (byteAt(at) !== QUOTE) break;
        at++;
        state = ENDED;
      } else if (state === NUMBER) {
        for (;;) {
          const next = afterByte(number, byteAt(at));
          if (next === 0) break;
          at++;
          if (next === number) at = skipDigits(at);
          number = next;
        }
        if (at === end || !hasBit(COMPLETE_NUMBERS, number)) break;
      }
      if (state !== AFTER_VALUE) {
        if (depth <= 1) {
          if (state === AFTER_ALL) break;
          // At depth 0 only a scalar is reported: an array or object was, by its parts.
          if (wantsParts && (depth === 1 || containerAt(1) === 0)) {
            report(ON_VALUE | (firstByte << 8), partCount, valueStart, origin + i64(at));
          }
          if (depth === 0) {
            state = AFTER_ALL;
            break;
          }
          keepFirstByte(firstByte);
          if (wantsMembers && container === OBJECT) keepMemberPlace(valueStart, origin + i64(at));
        }
        state = AFTER_VALUE;
      }
      const byte = byteAt(at);
      if (byte === COMMA) {
        at++;
        commas++;
        const place = i32(at) - SLICE_AT;
        if (place >= lookAt) {
          lookAt = afterComma(depth, base + i64(place), commas);
          watched = watchedDepths();
          if (isPaused) {
            state = KEY;
            break;
          }
        }
        state = container === ARRAY ? VALUE : KEY;
        continue;
      }
      if (byte !== container + 2) break;
      at++;
      if (depth <= COUNTED_DEPTH) {
        partCount = commas + 1;
        const place = i32(at) - SLICE_AT;
        if (place >= lookAt || hasBit(watched, depth)) {
          lookAt = afterEnd(depth, base + i64(place), partCount);
          watched = watchedDepths();
          keyed = collected;
        }
        commas = load<i32>(OUTER_COMMAS_AT + (depth << 2)); // as long as depths are counted
      }
      depth--;
      container = containerAt(depth);
      state = ENDED;
    }
    if (at === end || failure !== 0 || isPaused) break;
    const byte = byteAt(at);
    if (isLines && byte === LINE_FEED) {
      if (depth > 0) {
        failure = SYNTAX;
        break;
      }
      state = VALUE;
      at++;
    } else if (isSpace(byte) && state !== KEY_STRING && state !== STRING && state !== NUMBER) {
      at = isLines ? at + 1 : skipSpace(at + 1);
    } else if (byte === container + 2 && (state === FIRST_KEY || state === FIRST_ELEMENT)) {
      commas = -1;
      state = AFTER_VALUE;
    } else if (state <= STRING && isCutToken(at, end)) {
      break;
    } else {
      failure = SYNTAX;
      break;
    }
  }

  if (wantsMembers) {
    if (state === KEY_STRING && depth === 1) keepMemberKey(keyStart, at);
    const keyBytes = memberKeysEnd - MEMBER_KEYS_AT;
    const memberCount = i32(memberPlacesEnd - MEMBER_PLACES_AT) >> 4;
    if (keyBytes > 0 || memberCount > 0) report(ON_MEMBERS, memberCount, i64(keyBytes), 0);
  }
  setI32(STATE_I32, state);
  setI32(DEPTH_I32, depth);
  setF64(KEY_START_F64, keyStart);
  setF64(VALUE_START_F64, valueStart);
  setI32(FIRST_BYTE_I32, firstByte);
  setI32(NUMBER_I32, number);
  setI32(PART_COUNT_I32, partCount);
  setI32(COMMAS_I32, commas);
  setI32(FAILURE_I32, failure);
  setF64(NEXT_LOOK_F64, nextLook);
  setI32(LARGE_I32, large);
  setI32(UNMARKED_I32, unmarked);
  setI32(IS_COMMA_AWAITED_I32, isCommaAwaited);
  setI32(COLLECTED_I32, collected);
  setI32(IS_PAUSED_I32, isPaused);
  setI32(EVENT_COUNT_I32, i32(events - EVENTS_AT) / EVENT_BYTES);
  return i32(at) - SLICE_AT;
}

// Which of the open arrays and objects are large, without work for the small ones: every so many bytes it
// is looked what is open, and then their commas and ends are reported.

/** Bit `depth`: the end of the container that is open there has to be told. */
function watchedDepths(): i32 {
  return large | (unmarked << 1);
}

function isLarge(depth: i32): bool {
  return depth <= MAX_MARKED_DEPTH && hasBit(large, depth);
}

/** From where in the slice on a comma or an end is to be looked at. */
function placeOfLook(): i32 {
  if (isCommaAwaited === 1) return 0;
  const place = nextLook - base;
  return place > NOWHERE ? NOWHERE : i32(place);
}

/**
 * The result, as of `afterEnd`, is where to look next.
 *
 * @param offset of the byte after the comma that is the `count`-th of its container
 */
function afterComma(depth: i32, offset: i64, count: i32): i32 {
  look(depth, offset);
  isCommaAwaited = 0;
  if (depth <= MAX_MARKED_DEPTH && hasBit(unmarked, depth)) {
    const container = containerAt(depth);
    report(ON_MARK | (depth << 4) | (container << 8), count, startOf(depth), offset);
    unmarked &= ~(1 << depth);
    // A block of members may end here, and what is known of its keys is then read.
    if (container === OBJECT) isPaused = 1;
  }
  return placeOfLook();
}

/** @param offset of the byte after the bracket that ends a container of `count` parts */
function afterEnd(depth: i32, offset: i64, count: i32): i32 {
  look(depth, offset);
  if (isLarge(depth)) {
    report(ON_END | (depth << 4) | (containerAt(depth) << 8), count, startOf(depth), offset);
    large &= ~(1 << depth);
    unmarked &= large;
    collected &= ~(1 << depth);
  }
  isCommaAwaited = (unmarked >>> (depth - 1)) & 1;
  return placeOfLook();
}

function look(depth: i32, offset: i64): void {
  if (offset < nextLook) return;
  nextLook = offset + i64(spacing);
  let deepest = depth < MAX_MARKED_DEPTH ? depth : MAX_MARKED_DEPTH;
  while (deepest > 0 && offset - startOf(deepest) < i64(spacing)) deepest--;
  large = unmarked = (2 << deepest) - 2;
}

/** @param isWanted whether the key is to be reported in any case */
function endKey(depth: i32, isWanted: bool, start: i64, end: i64): void {
  const wasCollected = start >= base && collectKey(depth, placeOf(start) + 1, placeOf(end) - 1);
  if (wasCollected && !isWanted) return;
  report(ON_KEY | (depth << 4) | (i32(wasCollected) << 8), 0, start, end);
}

/** Keeps which bytes parts of the outermost array or object begin with: for each type at least one. */
function keepFirstByte(byte: i32): void {
  const bits = i32Field(FIRST_BITS_I32);
  const bit = 1 << (byte >> 2); // another for each type
  if ((bits & bit) !== 0) return;
  const count = i32Field(FIRST_COUNT_I32);
  setI32(FIRST_BITS_I32, bits | bit);
  setI32(FIRST_COUNT_I32, count + 1);
  store<u8>(FIRST_BYTES_AT + count, byte);
}

/** Keeps what the slice has of the key of a member, up to `end`. */
function keepMemberKey(start: i64, end: usize): void {
  const from: usize = start < base ? SLICE_AT : placeOf(start);
  for (let at = from; at < end; at += LANES) v128.store(memberKeysEnd + at - from, v128.load(at));
  memberKeysEnd += end - from;
}

function keepMemberPlace(start: i64, end: i64): void {
  store<f64>(memberPlacesEnd, f64(start));
  store<f64>(memberPlacesEnd + 8, f64(end));
  memberPlacesEnd += 16;
}

/** Where the byte of this offset is in the slice. */
function placeOf(offset: i64): usize {
  return usize(offset - base) + SLICE_AT;
}

function report(kind: i32, count: i32, start: i64, end: i64): void {
  store<i32>(events, kind);
  store<i32>(events + 4, count);
  store<f64>(events + 8, f64(start));
  store<f64>(events + 16, f64(end));
  events += EVENT_BYTES;
}

/** The first place from `from` on with a byte that does not stand for itself in a string: its quote, as a rule. */
function skipPlain(from: usize): usize {
  let at = from;
  let found = specialLanes(at);
  while (found === 0) {
    at += LANES;
    found = specialLanes(at);
  }
  return at + usize(ctz(found));
}

/** The same behind the escapes at `from`; a backslash whose escape is not complete is such a place too. */
function skipEscapes(from: usize): usize {
  let at = from;
  while (byteAt(at) === BACKSLASH) {
    const escaped = byteAt(at + 1);
    if (!isEscapable(escaped)) return at;
    let next = at + 2;
    if (escaped === LETTER_U) {
      while (next < at + 6) {
        if (!isHexDigit(byteAt(next))) return at;
        next++;
      }
    }
    at = skipPlain(next);
  }
  return at;
}

/** Bit by bit: which of the bytes from `at` on are a quote, a backslash or a control. */
function specialLanes(at: usize): i32 {
  const bytes = v128.load(at);
  const isQuote = i8x16.eq(bytes, i8x16.splat(i8(QUOTE)));
  const isBackslash = i8x16.eq(bytes, i8x16.splat(i8(BACKSLASH)));
  const isControl = i8x16.lt_u(bytes, i8x16.splat(i8(SPACE)));
  return i8x16.bitmask(v128.or(v128.or(isQuote, isBackslash), isControl));
}

/** The place behind the literal that begins at `from`; `from` if none does. */
function skipLiteral(from: usize): usize {
  const word = load<u32>(from);
  if (word === TRUE || word === NULL) return from + 4;
  return word === FALS && byteAt(from + 4) === LETTER_E ? from + 5 : from;
}

/** The number grammar: the state after a byte; 0 where it is not part of the number. */
function afterByte(state: i32, byte: i32): i32 {
  if (isDigit(byte)) {
    if (state === INTEGER || state === FRACTION || state === EXPONENT_DIGITS) return state;
    if (state === POINT) return FRACTION;
    if (state === EXPONENT || state === EXPONENT_SIGN) return EXPONENT_DIGITS;
    if (state === ZERO) return 0;
    return byte === DIGIT_0 ? ZERO : INTEGER;
  }
  if (byte === DOT) return state === ZERO || state === INTEGER ? POINT : 0;
  if ((byte | 0x20) === LETTER_E) {
    return state === ZERO || state === INTEGER || state === FRACTION ? EXPONENT : 0;
  }
  if (state === EXPONENT) return byte === MINUS_SIGN || byte === PLUS_SIGN ? EXPONENT_SIGN : 0;
  return state === 0 && byte === MINUS_SIGN ? MINUS : 0;
}

function skipDigits(from: usize): usize {
  let at = from;
  while (isDigit(byteAt(at))) at++;
  return at;
}

function skipSpace(from: usize): usize {
  let at = from;
  while (isSpace(byteAt(at))) at++;
  return at;
}

/** Whether `end` cuts an escape or a literal that begins at `from`. */
function isCutToken(from: usize, end: usize): bool {
  const first = byteAt(from);
  if (first === BACKSLASH) {
    if (from + 1 === end) return true;
    if (byteAt(from + 1) !== LETTER_U || end - from > 5) return false;
    for (let at = from + 2; at < end; at++) if (!isHexDigit(byteAt(at))) return false;
    return true;
  }
  const length = end - from;
  if (length > 4) return false;
  const word = load<u32>(from);
  // "fals" lacks its last letter; the others are cut only where they are shorter.
  if (length === 4) return word === FALS;
  const mask: u32 = (1 << (u32(length) << 3)) - 1;
  const part = word & mask;
  return part === (TRUE & mask) || part === (NULL & mask) || part === (FALS & mask);
}

function isSpace(byte: i32): bool {
  return byte === SPACE || byte === LINE_FEED || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: i32): bool {
  return u32(byte - DIGIT_0) < 10;
}

function isHexDigit(byte: i32): bool {
  return isDigit(byte) || u32((byte | 0x20) - LETTER_A) < 6;
}

/** Whether it is one of `"\/bfnrtu`. */
function isEscapable(byte: i32): bool {
  switch (byte) {
    case QUOTE:
    case 0x2f:
    case BACKSLASH:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
    case LETTER_U:
      return true;
    default:
      return false;
  }
}

function hasBit(bits: i32, bit: i32): bool {
  return ((bits >>> bit) & 1) === 1;
}

/** The opening byte of the container that is open at this depth. */
function containerAt(depth: i32): i32 {
  return byteAt(STACK_AT + depth);
}

function startOf(depth: i32): i64 {
  return load<i64>(STARTS_AT + (depth << 3));
}

function i32Field(field: i32): i32 {
  return load<i32>(field << 2);
}

function setI32(field: i32, value: i32): void {
  store<i32>(field << 2, value);
}

function f64Field(field: i32): f64 {
  return load<f64>(field << 3);
}

function setF64(field: i32, value: i64): void {
  store<f64>(field << 3, f64(value));
}
