/**
 * The memory that the JSON scanner in WebAssembly (`wasm/json-scan.ts`) and what drives it
 * (`json-scanner.ts`) have in common. `_AT` are bytes; `_I32` and `_F64` are fields of the state, in units of
 * 4 and 8 bytes.
 */

/** All that is known of a scan between two calls, but for the open containers. */
export const STATE_BYTES = 256;

export const STATE_I32 = 0;
export const DEPTH_I32 = 1;
export const MAX_DEPTH_I32 = 2;
/** 1: each line is one value. */
export const IS_LINES_I32 = 3;
/** 1: keys and values of the outermost array or object are reported. */
export const WANTS_PARTS_I32 = 4;
export const FIRST_BYTE_I32 = 5;
/** State of the number that is being read. */
export const NUMBER_I32 = 6;
/** Of the container that ended last. */
export const PART_COUNT_I32 = 7;
/** Of the innermost container, so far. */
export const COMMAS_I32 = 8;
export const SPACING_I32 = 9;
/** Bit `depth`: the container that is open there is known to be large. */
export const LARGE_I32 = 10;
/** Bit `depth`: its next comma is to be marked. */
export const UNMARKED_I32 = 11;
/** 1: the next comma may be the one that the innermost container waits for. */
export const IS_COMMA_AWAITED_I32 = 12;
export const FAILURE_I32 = 13;
/** How much has been reported. */
export const EVENT_COUNT_I32 = 14;
/** Bit `depth`: keys of the object that is open there are collected. */
export const COLLECTED_I32 = 15;
/** 1: what has been found is to be read before the scan goes on. */
export const IS_PAUSED_I32 = 56;

/** Bit `byte >> 2`: parts of the outermost array or object begin with this byte. */
export const FIRST_BITS_I32 = 57;
/** How many such bytes there are. */
export const FIRST_COUNT_I32 = 58;

/** 1: members of the outermost object are reported, a slice at a time. */
export const WANTS_MEMBERS_I32 = 62;

/** Offset in the input of the first byte of the slice. */
export const BASE_F64 = 8;
export const KEY_START_F64 = 9;
export const VALUE_START_F64 = 10;
/** Offset from which on a comma or an end is looked at. */
export const NEXT_LOOK_F64 = 11;

/** By depth: commas of what is around the container that is open there (i32), and where it begins (i64). */
export const OUTER_COMMAS_AT = 96;
export const STARTS_AT = 144;

/** What parts of the outermost array or object begin with, in the order in which it was met. */
export const FIRST_BYTES_AT = 236;

/** What is reported, in order. */
export const EVENTS_AT = 256;
/** `kind | depth << 4 | byte << 8` and `count` (i32); `start` and `end` (f64). */
export const EVENT_BYTES = 24;

/** One call gets at most so many new bytes, before them those that are held, and behind them a NUL. */
export const SLICE_BYTES = 16_384;
/** Of part of a token: an escape without its last digit. */
export const MAX_HELD_BYTES = 5;
/** Room before it: an event for each byte of a slice. */
export const SLICE_AT = 396_544;
/** The opening byte of each open container, by depth. Room before it: sixteen bytes are looked at at once. */
export const STACK_AT = 413_184;
/** Deeper nesting than this is reported as `too_deep`. A level costs one byte while it is open. */
export const MAX_JSON_DEPTH = 1_000_000;

// What is known of the keys that have been collected, all of one object. It is read before another scan has the
// machine.
export const KEY_DEPTH_AT = 1_413_248;
export const KEY_COUNT_AT = 1_413_252;
/** Which lengths they have: a bit for each, modulo 32. */
export const KEY_LENGTHS_AT = 1_413_256;
/** The first and the last by their text, and by their length; and the one that is being looked at. */
export const LOWEST_KEY_AT = 1_413_264;
export const HIGHEST_KEY_AT = 1_413_328;
export const SHORTEST_KEY_AT = 1_413_392;
export const LONGEST_KEY_AT = 1_413_456;
export const CURRENT_KEY_AT = 1_413_520;
/** Of each its beginning, with zeros behind it, and then its length (i32). */
export const KEY_TEXT_BYTES = 48;
/** Hashes (u32) of the first keys. */
export const KEY_HASHES_AT = 1_413_584;
export const MAX_KEY_HASHES = 426;
/** Longer keys are reported one by one, as are those that do not stand for themselves. */
export const MAX_COLLECTED_BYTES = 1024;

// Members of the outermost object, as far as one scan has come with them.
/** Their keys as they are written, each with a comma behind it. Sixteen bytes are written at once. */
export const MEMBER_KEYS_AT = 1_415_296;
/** Where their values begin and end (f64): of those that have ended. */
export const MEMBER_PLACES_AT = 1_431_712;

/** A filter, and the hashes (u32) it is made of. */
export const FILTER_AT = 1_484_192;
export const FILTER_BYTES = 80;
export const FILTER_HASHES_AT = 1_484_272;

// States: what is expected next, in the order of a member.
export const FIRST_KEY = 0;
export const KEY = 1;
export const KEY_STRING = 2;
export const AFTER_KEY = 3;
export const FIRST_ELEMENT = 4;
export const VALUE = 5;
export const STRING = 6;
export const NUMBER = 7;
/** A value has ended, and was not reported. */
export const ENDED = 8;
export const AFTER_VALUE = 9;
export const AFTER_ALL = 10;

// States of the number grammar, named by what was read last; 0 is before a number.
export const MINUS = 1;
export const ZERO = 2;
export const INTEGER = 3;
export const POINT = 4;
export const FRACTION = 5;
export const EXPONENT = 6;
export const EXPONENT_SIGN = 7;
export const EXPONENT_DIGITS = 8;

/** Bit `state`: a number may end in it. */
export const COMPLETE_NUMBERS = 0b1_0010_1100;

// Kinds of events. The byte of a key is 1 if it has been collected.
export const ON_KEY = 0;
export const ON_VALUE = 1;
export const ON_LINE = 2;
export const ON_MARK = 3;
export const ON_END = 4;
/** `count` members have ended, of whose keys `start` is how many bytes have come. */
export const ON_MEMBERS = 5;

// Why a scan ended.
export const SYNTAX = 1;
export const TOO_DEEP = 2;

/** What is nested deeper gets no marks. */
export const MAX_MARKED_DEPTH = 8;
/** Commas are counted one level deeper, so that they are not taken for those around it. */
export const COUNTED_DEPTH = 9;
