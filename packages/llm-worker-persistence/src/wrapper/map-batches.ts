const BATCH_SIZE = 16;

/** Maps values in order, 16 at a time. Ends the source when it is left early. */
export async function* mapBatches<T, U>(
  values: AsyncIterable<T>,
  map: (value: T) => Promise<U>,
): AsyncGenerator<U, void, undefined> {
  let batch: T[] = [];
  for await (const value of values) {
    batch.push(value);
    if (batch.length < BATCH_SIZE) continue;
    yield* await Promise.all(batch.map(map));
    batch = [];
  }
  yield* await Promise.all(batch.map(map));
}
