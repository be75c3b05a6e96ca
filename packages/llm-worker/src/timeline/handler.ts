/**
 * Something that a timeline can dispatch. The type parameter lives only in the types: it says what
 * a handler of this kind is given.
 */
export interface Kind<In> {
  readonly name: string;
  readonly in?: In;
}

/**
 * Listens to one kind. `open` makes the scope of one block from its `block_start`; `on` gets that
 * scope with each delta and, last, with the `block_stop` or `block_abort` that consumes it.
 * Parallel blocks never share a scope. A meta event is a block of one event: `open`, then `on`
 * with the same event.
 */
export interface Handler<In, Scope> {
  open(start: In): Scope;
  on(scope: Scope, input: In): void;
}
