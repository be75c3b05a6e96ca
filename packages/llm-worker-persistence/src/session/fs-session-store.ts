import { constants } from "node:fs/promises";
import { join } from "node:path";
import { removeIfPresent } from "../atomic-write.js";
import { DirectoryTree } from "../directory-tree.js";
import { PRIVATE_FILE_MODE } from "../file-system.js";
import { removeAbandonedTempFiles } from "../fs-abandoned.js";
import type { Durability } from "../fs-directory.js";
import { errnoOf } from "../fs-error.js";
import type { OpenFile } from "../open-file.js";
import { ifPresent } from "../own-directory.js";
import { RecentNames } from "../recent-names.js";
import {
  carryOut,
  type Claim,
  dropClaim,
  findClaims,
  isCarriedOut,
  isOpenClaim,
  makeClaim,
  nodeSessionFileSystem,
  type SessionFileSystem,
} from "./fs-claim.js";
import {
  findEnd,
  giveOwnerAccess,
  LOG_FILE,
  openLog,
  readRange,
  writeRange,
} from "./fs-log-file.js";
import { toSessionError } from "./fs-session-error.js";
import { sessionConflict, SessionError, sessionNotFound } from "./session-error.js";
import { assertSessionId, isSessionId } from "./session-id.js";
import type { LogPosition, SessionListing, SessionLog, SessionStore } from "./session-store.js";

/** Options of {@link FsSessionStore}. */
export interface FsSessionStoreOptions {
  /**
   * `fsync` (default): what was appended survives a loss of power. `none`: it survives the end of the
   * process only; faster.
   */
  readonly durability?: Durability | undefined;
  /** In place of that of this process, for tests. */
  readonly fileSystem?: SessionFileSystem | undefined;
}

/** Below the directory that the store is given. */
export const SESSIONS_DIRECTORY = "sessions";
const TRACE_FILE = "trace.jsonl";
const CHUNK_BYTES = 64 * 1024;
const BLANK = 0x20;
const LINE_FEED = 0x0a;
const APPEND_TO_TRACE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/** An append that has failed although its claim was made: it may be in the log, or get there yet. */
interface UnfinishedAppend {
  readonly claim: Claim;
  /** What comes behind them in the claim covers a torn end. */
  readonly lineBytes: number;
}

/** Of more sessions such appends are not remembered. */
const MAX_UNFINISHED = 1_000;

/**
 * Keeps each session in a directory of its own, `DIRECTORY/sessions/{id}/log.jsonl`, readable with
 * ordinary tools; directories 0700 and files 0600 whatever the umask. Any number of processes may use
 * one directory; of two that continue one session, the second gets `session_conflict`. An append is
 * in the log as a whole or not at all, whenever its process is killed. Needs hard links.
 */
export class FsSessionStore implements SessionStore {
  readonly #fileSystem: SessionFileSystem;
  readonly #durability: Durability;
  readonly #tree: DirectoryTree;
  readonly #tidied = new RecentNames();
  readonly #unfinished = new Map<string, UnfinishedAppend>();

  /** @param directory where `sessions/` is or will be; nothing is touched before the first call */
  constructor(directory: string, options: FsSessionStoreOptions = {}) {
    this.#fileSystem = options.fileSystem ?? nodeSessionFileSystem;
    this.#durability = options.durability ?? "fsync";
    this.#tree = new DirectoryTree(this.#fileSystem, directory, this.#durability);
  }

  append(id: string, position: LogPosition, lines: Uint8Array): Promise<LogPosition> {
    return this.#using(id, async () => {
      const directory = await this.#directoryForAppend(id, position);
      await this.#settle(directory);
      const earlier = this.#unfinished.get(id);
      const isInLog =
        earlier?.claim.start === position && (await this.#isInLog(directory, earlier.claim));
      // Now it is, or it never will be.
      this.#unfinished.delete(id);
      if (earlier === undefined || !isInLog) return this.#append(id, directory, position, lines);
      // What is to be appended begins with its lines.
      const { claim, lineBytes } = earlier;
      const begun = lines.subarray(0, lineBytes);
      if (Buffer.compare(claim.bytes.subarray(0, lineBytes), begun) !== 0) {
        throw sessionConflict(id, position);
      }
      const rest = lines.subarray(lineBytes);
      return rest.length === 0 ? endOf(claim) : this.#append(id, directory, endOf(claim), rest);
    });
  }

  read(id: string): Promise<SessionLog> {
    return this.#using(id, async () => {
      const directory = await this.#find(id);
      if (directory === undefined) throw sessionNotFound(id);
      const first = await this.#look(id, directory);
      // A torn end may be an append that began after the look for claims.
      const seen = first.tornByteCount === 0 ? first : await this.#look(id, directory);
      const { wholeByteCount, tornByteCount, claim } = seen;
      return {
        position: claim === undefined ? wholeByteCount : endOf(claim),
        tornByteCount: claim === undefined ? tornByteCount : 0,
        chunks: this.#chunks(id, directory, claim?.start ?? wholeByteCount, claim),
      };
    });
  }

  async *list(): AsyncGenerator<SessionListing> {
    for (const id of await this.#using(undefined, () => this.#ids())) {
      const listing = await this.#using(id, () => this.#listing(id)).catch(ifDeleted);
      if (listing !== undefined) yield listing;
    }
  }

  delete(id: string): Promise<boolean> {
    return this.#using(id, async () => {
      const directory = await this.#find(id);
      if (directory === undefined) return false;
      this.#unfinished.delete(id);
      // The log first: from then on nobody can continue it.
      let deleted = await removeIfPresent(this.#fileSystem, join(directory, LOG_FILE));
      for await (const { name } of await this.#fileSystem.opendir(directory)) {
        deleted = (await removeIfPresent(this.#fileSystem, join(directory, name))) || deleted;
      }
      await this.#fileSystem.rmdir(directory).catch(() => undefined);
      return deleted;
    });
  }

  appendTrace(id: string, lines: Uint8Array): Promise<void> {
    return this.#using(id, async () => {
      const directory = await this.#find(id);
      if (directory === undefined) throw sessionNotFound(id);
      const path = join(directory, TRACE_FILE);
      const trace = await this.#fileSystem.open(path, APPEND_TO_TRACE, PRIVATE_FILE_MODE);
      try {
        await giveOwnerAccess(trace);
        await writeRange(trace, null, lines);
      } finally {
        await trace.close();
      }
    });
  }

  #find(id: string): Promise<string | undefined> {
    return this.#tree.find([SESSIONS_DIRECTORY, id]);
  }

  async #directoryForAppend(id: string, position: LogPosition): Promise<string> {
    const directory =
      position === 0 ? await this.#tree.prepare([SESSIONS_DIRECTORY, id]) : await this.#find(id);
    if (directory === undefined) throw sessionNotFound(id);
    if (this.#tidied.isNew(id)) {
      // Beside the work, not before it. What cannot be removed now is tried at the next start.
      removeAbandonedTempFiles(this.#fileSystem, directory).catch(() => undefined);
    }
    return directory;
  }

  async #append(
    id: string,
    directory: string,
    position: LogPosition,
    lines: Uint8Array,
  ): Promise<LogPosition> {
    const claim = await this.#openPlace(id, directory, position, lines);
    if (!(await makeClaim(this.#fileSystem, directory, claim))) {
      throw sessionConflict(id, position);
    }
    let isOurs: boolean;
    try {
      // The place may have been taken and left again between the look at it and the claim.
      isOurs = await carryOut(this.#fileSystem, directory, claim, this.#durability);
    } catch (error) {
      this.#remember(id, { claim, lineBytes: lines.length });
      throw error;
    }
    if (!isOurs) throw sessionConflict(id, position);
    return endOf(claim);
  }

  #remember(id: string, { claim, lineBytes }: UnfinishedAppend): void {
    // A copy: the caller may use its lines again.
    const copy = { start: claim.start, bytes: Uint8Array.from(claim.bytes) };
    this.#unfinished.set(id, { claim: copy, lineBytes });
    const [oldest] = this.#unfinished.keys();
    if (oldest !== undefined && this.#unfinished.size > MAX_UNFINISHED) {
      this.#unfinished.delete(oldest);
    }
  }

  /** Carries out what writers that died have left, and drops what came too late. */
  async #settle(directory: string): Promise<void> {
    for (const claim of await findClaims(this.#fileSystem, directory)) {
      const isOpen = await this.#withLog(directory, (log) => isOpenClaim(claim, log));
      if (isOpen) await carryOut(this.#fileSystem, directory, claim, this.#durability);
      else await dropClaim(this.#fileSystem, directory, claim.start);
    }
  }

  /** The claim for an append, if the log ends where it has to. */
  async #openPlace(
    id: string,
    directory: string,
    start: LogPosition,
    lines: Uint8Array,
  ): Promise<Claim> {
    const end = await this.#withLog(directory, async (log) => log && findEnd(log));
    if (end === undefined && start > 0) throw sessionNotFound(id);
    const { wholeByteCount, byteCount } = end ?? { wholeByteCount: 0, byteCount: 0 };
    if (wholeByteCount !== start) throw sessionConflict(id, start);
    return { start, bytes: covering(lines, byteCount - start) };
  }

  #isInLog(directory: string, claim: Claim): Promise<boolean> {
    return this.#withLog(directory, async (log) => log !== undefined && isCarriedOut(claim, log));
  }

  async #look(
    id: string,
    directory: string,
  ): Promise<{ wholeByteCount: number; tornByteCount: number; claim: Claim | undefined }> {
    const claims = await findClaims(this.#fileSystem, directory);
    return this.#withLog(directory, async (log) => {
      let open: Claim | undefined;
      for (const claim of claims) if (await isOpenClaim(claim, log)) open = claim;
      if (log === undefined && open === undefined) throw sessionNotFound(id);
      const { wholeByteCount, byteCount } =
        log === undefined ? { wholeByteCount: 0, byteCount: 0 } : await findEnd(log);
      return { wholeByteCount, tornByteCount: byteCount - wholeByteCount, claim: open };
    });
  }

  async *#chunks(
    id: string,
    directory: string,
    end: number,
    claim: Claim | undefined,
  ): AsyncGenerator<Uint8Array> {
    let log: OpenFile | undefined;
    try {
      log = end === 0 ? undefined : await openLog(this.#fileSystem, directory);
      if (log === undefined && end > 0) throw sessionNotFound(id);
      for (let at = 0; at < end && log !== undefined; at += CHUNK_BYTES) {
        yield await readRange(log, at, Math.min(end, at + CHUNK_BYTES));
      }
    } catch (error) {
      throw toSessionError(error, id);
    } finally {
      // What was read is what counts.
      await log?.close().catch(() => undefined);
    }
    if (claim !== undefined) yield claim.bytes;
  }

  async #ids(): Promise<readonly string[]> {
    const directory = await this.#tree.find([SESSIONS_DIRECTORY]);
    if (directory === undefined) return [];
    const ids: string[] = [];
    for await (const { name } of await this.#fileSystem.opendir(directory)) {
      if (isSessionId(name) && !(await this.#isFile(join(directory, name)))) ids.push(name);
    }
    return ids.toSorted();
  }

  /** A file that somebody put there, such as `README`, is no session. A link may lead to one: it is refused. */
  async #isFile(path: string): Promise<boolean> {
    return (await ifPresent(this.#fileSystem.lstat(path)))?.isFile() ?? false;
  }

  async #listing(id: string): Promise<SessionListing | undefined> {
    const directory = await this.#find(id);
    if (directory === undefined) return undefined;
    const stats = await this.#withLog(directory, async (log) => log?.stat());
    if (stats !== undefined) {
      return { id, byteCount: stats.size, modifiedAtMs: Math.floor(stats.mtimeMs) };
    }
    // Its first append was claimed, and its process died before there was a log.
    const claims = await findClaims(this.#fileSystem, directory);
    const first = claims.find(({ start }) => start === 0);
    if (first === undefined) return undefined;
    const { mtimeMs } = await this.#fileSystem.lstat(directory);
    return { id, byteCount: first.bytes.length, modifiedAtMs: Math.floor(mtimeMs) };
  }

  async #withLog<T>(directory: string, use: (log: OpenFile | undefined) => Promise<T>): Promise<T> {
    const log = await openLog(this.#fileSystem, directory);
    try {
      return await use(log);
    } finally {
      await log?.close();
    }
  }

  async #using<T>(id: string | undefined, task: () => Promise<T>): Promise<T> {
    if (id !== undefined) assertSessionId(id);
    try {
      return await task();
    } catch (error) {
      if (id !== undefined && errnoOf(error) === "ENOENT") throw sessionNotFound(id);
      throw toSessionError(error, id);
    }
  }
}

/** Deleted since it was found: there is nothing of it. @throws what else went wrong */
function ifDeleted(error: unknown): undefined {
  if (!(error instanceof SessionError) || error.code !== "not_found") throw error;
}

/** Where the log ends once a claim is carried out. */
function endOf({ start, bytes }: Claim): LogPosition {
  return start + bytes.length;
}

/** The lines, with a line of blanks behind them if a torn end has to be covered. */
function covering(lines: Uint8Array, byteCount: number): Uint8Array {
  if (lines.length >= byteCount) return lines;
  const bytes = new Uint8Array(byteCount).fill(BLANK);
  bytes.set(lines);
  bytes[byteCount - 1] = LINE_FEED;
  return bytes;
}
