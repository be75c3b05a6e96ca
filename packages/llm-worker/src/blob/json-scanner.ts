import { ARRAY, firstTokenByte, OBJECT } from "./json-bytes.js";
import { JsonMachine, MachineState } from "./json-machine.js";
import { takeKeys } from "./key-batch.js";
import type {
  JsonContainer,
  JsonFailure,
  JsonScannerOptions,
  JsonVisitor,
} from "./json-visitor.js";
import {
  AFTER_ALL,
  AFTER_VALUE,
  BASE_F64,
  COLLECTED_I32,
  COMPLETE_NUMBERS,
  DEPTH_I32,
  EVENT_BYTES,
  EVENT_COUNT_I32,
  EVENTS_AT,
  FAILURE_I32,
  FIRST_BYTE_I32,
  FIRST_BYTES_AT,
  FIRST_COUNT_I32,
  IS_LINES_I32,
  IS_PAUSED_I32,
  KEY,
  KEY_COUNT_AT,
  KEY_DEPTH_AT,
  KEY_START_F64,
  KEY_STRING,
  MAX_DEPTH_I32,
  MAX_JSON_DEPTH,
  MAX_MARKED_DEPTH,
  MEMBER_KEYS_AT,
  MEMBER_PLACES_AT,
  NEXT_LOOK_F64,
  NUMBER,
  NUMBER_I32,
  ON_END,
  ON_KEY,
  ON_LINE,
  ON_MARK,
  ON_MEMBERS,
  ON_VALUE,
  PART_COUNT_I32,
  SLICE_AT,
  SLICE_BYTES,
  SPACING_I32,
  STACK_AT,
  STATE_I32,
  STRING,
  TOO_DEEP,
  VALUE,
  VALUE_START_F64,
  WANTS_MEMBERS_I32,
  WANTS_PARTS_I32,
} from "./scan-memory.js";

const NOTHING: Uint8Array = new Uint8Array();

/**
 * Checks bytes against RFC 8259, as strictly as `JSON.parse` does (UTF-8 validity is left to the
 * caller), and reports where the parts of the outermost array or object are. Takes pieces cut
 * anywhere, keeps none of them, and does not recurse.
 */
export class JsonScanner {
  readonly #visitor: JsonVisitor;
  readonly #isLines: boolean;
  /** The first value has not begun, and has to be an array or object. */
  #awaitsContainer: boolean;
  readonly #state: MachineState;
  /** Part of a token, which is to be looked at again with what follows it. */
  #held = NOTHING;
  /** Offset of the first byte that is held, or of the one that is to be written next. */
  #base: number;
  /** What is expected next, and in how many containers: as the machine has it. */
  #expected: number;
  #depth: number;
  #isDone = false;
  #failure: JsonFailure | undefined;

  constructor(visitor: JsonVisitor = {}, options: JsonScannerOptions = {}) {
    const { base = 0, at = "value", maxDepth = MAX_JSON_DEPTH, values = "one" } = options;
    this.#visitor = visitor;
    this.#isLines = values === "lines";
    this.#awaitsContainer = values !== "one";
    this.#base = base;
    this.#expected = at === "member" ? KEY : VALUE;
    this.#depth = at === "value" ? 0 : 1;
    this.#state = new MachineState();
    const { i32, f64, stack } = this.#state;
    i32[STATE_I32] = this.#expected;
    i32[DEPTH_I32] = this.#depth;
    i32[MAX_DEPTH_I32] = maxDepth;
    i32[IS_LINES_I32] = Number(this.#isLines);
    i32[WANTS_PARTS_I32] = Number(visitor.onValue !== undefined);
    i32[WANTS_MEMBERS_I32] = Number(visitor.onMembers !== undefined);
    if (visitor.marks?.wantsKeys(1) === true) i32[COLLECTED_I32] = 1 << 1;
    i32[SPACING_I32] = visitor.marks?.spacing ?? 0;
    f64[NEXT_LOOK_F64] = visitor.marks?.spacing ?? Number.MAX_SAFE_INTEGER;
    if (at !== "value") stack[1] = at === "element" ? ARRAY : OBJECT;
  }

  /** Why this is not JSON; `undefined` while it still may be. */
  get failure(): JsonFailure | undefined {
    return this.#failure;
  }

  /** Whether further pieces would be ignored: it has failed, or was stopped. */
  get done(): boolean {
    return this.#isDone;
  }

  /** Offset of the byte that is to be written next. */
  get position(): number {
    return this.#base + this.#held.length;
  }

  /** Where the key that is to be reported begins in which the last piece ended, if it did. */
  get openKeyStart(): number | undefined {
    if (this.#isDone || this.#expected !== KEY_STRING) return undefined;
    const { i32, f64 } = this.#machine();
    const isPart = this.#depth === 1 && i32[WANTS_PARTS_I32] === 1;
    const isReported = isPart || isCollected(i32[COLLECTED_I32], this.#depth);
    return isReported ? f64[KEY_START_F64] : undefined;
  }

  /** Where the element or the value of a member begins in which the last piece ended, if it did. */
  get openValueStart(): number | undefined {
    if (this.#isDone) return undefined;
    const isScalar = this.#expected === STRING || this.#expected === NUMBER;
    const isLiteral = this.#expected <= VALUE && this.#held.length > 0;
    const isInScalar =
      this.#depth === 1 && this.#expected !== KEY_STRING && (isScalar || isLiteral);
    return this.#depth > 1 || isInScalar ? this.#machine().f64[VALUE_START_F64] : undefined;
  }

  /** What the whole is, or has been found to be so far; `undefined` for a scalar and before it. */
  get rootType(): JsonContainer | undefined {
    const opening = this.#machine().bytes[STACK_AT + 1];
    return opening === 0 ? undefined : containerOf(opening);
  }

  /** How many parts the whole has, once it has ended. */
  get partCount(): number {
    return this.#machine().i32[PART_COUNT_I32] as number; // a field
  }

  /** What the parts begin with that have ended so far, in order: for each type at least one byte. */
  get firstBytes(): readonly number[] {
    const { bytes, i32 } = this.#machine();
    const count = i32[FIRST_COUNT_I32] as number; // a field
    return [...bytes.subarray(FIRST_BYTES_AT, FIRST_BYTES_AT + count)];
  }

  /** From one of the next parts on, none is reported. To be called where one is. */
  leaveOutParts(): void {
    this.#machine().i32[WANTS_PARTS_I32] = 0;
  }

  /** The same of members that are told a few at a time. */
  leaveOutMembers(): void {
    this.#machine().i32[WANTS_MEMBERS_I32] = 0;
  }

  /** Tells the visitor of the keys that have been collected up to the last mark, or to the end of the last piece. */
  reportKeys(): void {
    const machine = this.#machine();
    const { i32 } = machine;
    if (i32[KEY_COUNT_AT >> 2] === 0) return;
    const depth = i32[KEY_DEPTH_AT >> 2] as number; // within the memory
    this.#visitor.marks?.onKeys(depth, takeKeys(machine));
  }

  /** Takes the next piece. Costs nothing once `done`. */
  write(piece: Uint8Array): void {
    const end = this.position + piece.length;
    if (this.#awaitsContainer) this.#lookForContainer(piece);
    for (let from = 0; from < piece.length && !this.#isDone; from += SLICE_BYTES) {
      this.#scanSlice(piece.subarray(from, from + SLICE_BYTES));
    }
    if (!this.#isDone) {
      this.reportKeys();
      return;
    }
    this.#base = end;
    this.#held = NOTHING;
  }

  /** Ends the input. `true` if all of it was what it was to be. */
  end(): boolean {
    if (this.#isDone) return false;
    if (this.#expected === NUMBER && this.#depth === 0) {
      const { i32, f64 } = this.#machine();
      if (((COMPLETE_NUMBERS >>> (i32[NUMBER_I32] as number)) & 1) === 1) {
        this.#expected = AFTER_ALL;
        // Both are fields.
        const [start, firstByte] = [f64[VALUE_START_F64] as number, i32[FIRST_BYTE_I32] as number];
        this.#visitor.onValue?.(start, this.#base, firstByte, 0);
      }
    }
    const isLineStart = this.#isLines && this.#expected === VALUE && this.#depth === 0;
    return this.#expected === AFTER_ALL || (isLineStart && this.#held.length === 0);
  }

  /** Ignores all that follows. For visitors that have seen enough. */
  stop(): void {
    this.#isDone = true;
  }

  /**
   * Leaves the value that begins at {@link openValueStart}, which is known to end at `end`, and
   * reports it. What is written next begins at `end`.
   */
  skipValue(end: number): void {
    const { i32, f64 } = this.#machine();
    i32[DEPTH_I32] = this.#depth = 1;
    i32[STATE_I32] = this.#expected = AFTER_VALUE;
    this.#base = end;
    this.#held = NOTHING;
    // Both are fields.
    const [start, firstByte] = [f64[VALUE_START_F64] as number, i32[FIRST_BYTE_I32] as number];
    this.#visitor.onValue?.(start, end, firstByte, 0);
  }

  /** Most texts are told from JSON by how they begin, before there has to be a machine. */
  #lookForContainer(piece: Uint8Array): void {
    const byte = firstTokenByte(piece);
    if (byte === undefined) return;
    this.#awaitsContainer = false;
    if (byte !== ARRAY && byte !== OBJECT) this.#fail("syntax");
  }

  #machine(): JsonMachine {
    return JsonMachine.of(this.#state);
  }

  #scanSlice(slice: Uint8Array): void {
    const machine = this.#machine();
    const { bytes, i32, f64 } = machine;
    const length = this.#held.length + slice.length;
    bytes.set(this.#held, SLICE_AT);
    bytes.set(slice, SLICE_AT + this.#held.length);
    bytes[SLICE_AT + length] = 0;
    f64[BASE_F64] = this.#base;
    let scanned = 0;
    do {
      scanned = machine.scan(scanned, length);
      // Both are fields.
      this.#expected = i32[STATE_I32] as number;
      this.#depth = i32[DEPTH_I32] as number;
      machine.isBusy = true;
      try {
        this.#report(machine);
      } finally {
        machine.isBusy = false;
      }
    } while (i32[IS_PAUSED_I32] === 1 && !this.#isDone);
    this.#held = scanned === length ? NOTHING : bytes.slice(SLICE_AT + scanned, SLICE_AT + length);
    this.#base += scanned;
    const failure = i32[FAILURE_I32] as number; // a field
    if (failure !== 0 && !this.#isDone) this.#fail(failure === TOO_DEEP ? "too_deep" : "syntax");
  }

  #fail(failure: JsonFailure): void {
    this.#failure = failure;
    this.#isDone = true;
  }

  /** Tells the visitor what the machine has found, until it has seen enough. */
  #report(machine: JsonMachine): void {
    const { i32, f64 } = machine;
    const { marks } = this.#visitor;
    const end = EVENTS_AT + (i32[EVENT_COUNT_I32] as number) * EVENT_BYTES; // a field
    for (let at = EVENTS_AT; at < end && !this.#isDone; at += EVENT_BYTES) {
      // All are fields of the event.
      const kind = i32[at >> 2] as number;
      const count = i32[(at >> 2) + 1] as number;
      const from = f64[(at >> 3) + 1] as number;
      const to = f64[(at >> 3) + 2] as number;
      const depth = (kind >> 4) & 15;
      const byte = kind >> 8;
      switch (kind & 15) {
        case ON_KEY:
          this.#visitor.onKey?.(depth, from, to, byte === 1);
          break;
        case ON_VALUE:
          this.#visitor.onValue?.(from, to, byte, count);
          break;
        case ON_LINE:
          this.#visitor.onLine?.(from);
          break;
        case ON_MARK:
          marks?.onMark(depth, containerOf(byte), from, to, count);
          if (byte === OBJECT) this.#collectKeys(depth);
          break;
        case ON_END:
          if (byte === OBJECT) this.reportKeys();
          marks?.onEnd(depth, containerOf(byte), from, to, count);
          break;
        case ON_MEMBERS:
          this.#visitor.onMembers?.(
            machine.bytes.subarray(MEMBER_KEYS_AT, MEMBER_KEYS_AT + from),
            f64.subarray(MEMBER_PLACES_AT >> 3, (MEMBER_PLACES_AT >> 3) + 2 * count),
          );
          break;
      }
    }
  }

  /** Collects keys of the object that is open at this depth, if they are wanted. */
  #collectKeys(depth: number): void {
    if (this.#visitor.marks?.wantsKeys(depth) !== true) return;
    const { i32 } = this.#machine();
    if (i32[KEY_DEPTH_AT >> 2] !== depth) this.reportKeys();
    i32[COLLECTED_I32] = (i32[COLLECTED_I32] as number) | (1 << depth); // a field
  }
}

function containerOf(opening: number | undefined): JsonContainer {
  return opening === ARRAY ? "array" : "object";
}

function isCollected(depths: number | undefined, depth: number): boolean {
  return depth <= MAX_MARKED_DEPTH && (((depths ?? 0) >>> depth) & 1) === 1;
}
