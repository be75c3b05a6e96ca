import { Buffer } from "node:buffer";
import { JSON_SCAN_CODE } from "./json-scan-code.js";
import {
  DEPTH_I32,
  FILTER_AT,
  FILTER_BYTES,
  FILTER_HASHES_AT,
  KEY_COUNT_AT,
  KEY_HASHES_AT,
  MAX_KEY_HASHES,
  STACK_AT,
  STATE_BYTES,
} from "./scan-memory.js";

/** Of the global of that name, of which Node's types say nothing: what is used of it. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer };
      readonly scan: (from: number, length: number) => number;
      readonly fillFilter: (keyCount: number, hashCount: number) => void;
    };
  };
};

/** What is known of a scan while another scan has the machine. */
export class MachineState {
  readonly i32: Int32Array = new Int32Array(STATE_BYTES / 4);
  readonly f64: Float64Array = new Float64Array(this.i32.buffer);
  /** The opening byte of each open container. That of the outermost stays when it has ended. */
  stack: Uint8Array = new Uint8Array(FEWEST_LEVELS);
}

const FEWEST_LEVELS = 2;

/**
 * The JSON scanner in WebAssembly. It has two to three times the speed of one in JavaScript, and that
 * from the first pieces on, as it is not compiled anew by what it meets. There is one for all scans, as
 * its memory takes gigabytes of addresses; it changes from scan to scan with each that writes.
 */
export class JsonMachine {
  readonly bytes: Uint8Array;
  /** The same bytes, to read texts. */
  readonly buffer: Buffer;
  readonly keyHashes: Uint32Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
  /** See `wasm/json-scan.ts`. */
  readonly scan: (from: number, length: number) => number;
  readonly #filter: Uint32Array;
  readonly #filterHashes: Uint32Array;
  readonly #fillFilter: (keyCount: number, hashCount: number) => void;
  /** What was found is read from the memory, and the state stays in place meanwhile. */
  isBusy = false;
  #state: MachineState | undefined;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(JSON_SCAN_CODE, "base64"));
    const { memory, scan, fillFilter } = new WebAssembly.Instance(module).exports;
    this.bytes = new Uint8Array(memory.buffer);
    this.buffer = Buffer.from(memory.buffer);
    this.keyHashes = new Uint32Array(memory.buffer, KEY_HASHES_AT, MAX_KEY_HASHES);
    this.#filter = new Uint32Array(memory.buffer, FILTER_AT, FILTER_BYTES / 4);
    this.#filterHashes = new Uint32Array(memory.buffer, FILTER_HASHES_AT, MAX_KEY_HASHES);
    this.i32 = new Int32Array(memory.buffer);
    this.f64 = new Float64Array(memory.buffer);
    this.scan = scan;
    this.#fillFilter = fillFilter;
  }

  /** A Bloom filter of keys with these hashes, of which each sets so many bits. Its bytes are words here. */
  static filterOf(hashes: Uint32Array, hashCount: number): Uint32Array {
    only ??= new JsonMachine();
    only.#filterHashes.set(hashes);
    only.#fillFilter(hashes.length, hashCount);
    return only.#filter.slice();
  }

  /** The machine, as this scan left it. */
  static of(state: MachineState): JsonMachine {
    only ??= new JsonMachine();
    if (only.#state !== state) only.#changeTo(state);
    return only;
  }

  #changeTo(state: MachineState): void {
    if (this.isBusy) throw new Error("a visitor of a JSON scan cannot scan");
    const last = this.#state;
    if (last !== undefined) {
      last.i32.set(this.i32.subarray(0, STATE_BYTES / 4));
      const levels = Math.max(FEWEST_LEVELS, (this.i32[DEPTH_I32] as number) + 1); // a field
      last.stack = this.bytes.slice(STACK_AT, STACK_AT + levels);
    }
    this.i32.set(state.i32);
    this.bytes.set(state.stack, STACK_AT);
    this.#state = state;
    this.i32[KEY_COUNT_AT >> 2] = 0;
  }
}

let only: JsonMachine | undefined;
