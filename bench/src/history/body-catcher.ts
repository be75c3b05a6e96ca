import { Dispatcher } from "undici";

/** Ends a request at the moment in which undici has its body. */
export class BodyCatcher extends Dispatcher {
  #pieces: readonly Uint8Array[] = [];
  /** User and system time of this process when the last body came. */
  cpuUsage: NodeJS.CpuUsage = { user: 0, system: 0 };

  override dispatch({ body }: Dispatcher.DispatchOptions): boolean {
    this.cpuUsage = process.cpuUsage();
    this.#pieces = piecesOf(body);
    throw new Error("caught");
  }

  /** How many pieces the last body came in. */
  get pieceCount(): number {
    return this.#pieces.length;
  }

  /** The last body. */
  get text(): string {
    return Buffer.concat(this.#pieces).toString();
  }
}

function piecesOf(body: Dispatcher.DispatchOptions["body"]): readonly Uint8Array[] {
  if (body instanceof Uint8Array) return [body];
  // What the product sends is bytes, in one piece or in many.
  if (Array.isArray(body)) return body as readonly Uint8Array[];
  throw new TypeError("the body is neither bytes nor a list of them");
}
