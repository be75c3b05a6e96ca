/** The store that the README of the persistence takes for granted. */
import { MemoryBlobStore } from "llm-worker-persistence";

export class MyStore extends MemoryBlobStore {}
