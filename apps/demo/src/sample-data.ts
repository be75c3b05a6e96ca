import { writeFile } from "node:fs/promises";
import { Random } from "./random.js";

/** A file made for the run, and a question that one place in it answers. */
export interface Sample {
  readonly name: string;
  readonly question: string;
  readonly text: Iterable<string>;
}

const LOG_LINES = 60_000;
const USERS = 22_000;
const FIRST_USER_ID = 10_000;
const LOG_START_MS = Date.UTC(2026, 2, 2, 8);
/** Pieces of about 64 KiB are written faster than single lines. */
const PIECE_CHARACTERS = 65_536;

/** A log of about 5 MB and a JSON array of about 3 MB in one line. The same for the same seed. */
export function createSamples(seed: number): readonly Sample[] {
  return [createLog(new Random(seed)), createUsers(new Random(seed + 1))];
}

/** Writes a sample without ever holding it whole. */
export async function writeSample(
  path: string,
  text: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  await writeFile(path, inPieces(text), { signal });
}

function createLog(random: Random): Sample {
  const place = Math.floor(LOG_LINES / 4) + random.below(Math.floor(LOG_LINES / 2));
  // The ids of all other requests are odd, so that this one meets none of them.
  const request = requestId(random.below(2 ** 31) * 2);
  const cause = random.pick(CAUSES);
  return {
    name: "service.log",
    question: `In service.log, what happened to request ${request}?`,
    text: logText(random, place, [
      `INFO  api      request=${request} POST /v1/orders received`,
      `ERROR billing  request=${request} ${cause}, order ${1000 + random.below(9000)} put on hold`,
      `INFO  api      request=${request} POST /v1/orders 502 ${3000 + random.below(6000)}ms`,
    ]),
  };
}

const CAUSES = [
  "card issuer timed out after 3 attempts",
  "ledger refused the charge: currency mismatch",
  "fraud check answered after its deadline",
  "idempotency key was reused with another amount",
] as const;

function* logText(random: Random, place: number, story: readonly string[]): Iterable<string> {
  let timeMs = LOG_START_MS;
  for (let line = 0; line < LOG_LINES; line += 1) {
    timeMs += random.below(400);
    const told = line >= place ? story[line - place] : undefined;
    yield `${new Date(timeMs).toISOString()} ${told ?? ordinaryLine(random)}\n`;
  }
}

function ordinaryLine(random: Random): string {
  const request = requestId(random.below(2 ** 31) * 2 + 1);
  const level = random.pick(["INFO ", "INFO ", "INFO ", "DEBUG", "WARN "]);
  const service = random.pick(["api     ", "auth    ", "billing ", "search  ", "mailer  "]);
  const path = random.pick(["/v1/orders", "/v1/users", "/v1/search", "/v1/invoices"]);
  const status = random.pick([200, 200, 200, 201, 204, 304, 404]);
  return `${level} ${service} request=${request} GET ${path} ${status} ${random.below(900)}ms`;
}

function requestId(value: number): string {
  return `req-${value.toString(16).padStart(8, "0")}`;
}

function createUsers(random: Random): Sample {
  const id = FIRST_USER_ID + random.below(USERS);
  return {
    name: "users.json",
    question: `What is the email of user ${id} in users.json?`,
    text: usersText(random),
  };
}

function* usersText(random: Random): Iterable<string> {
  for (let position = 0; position < USERS; position += 1) {
    const first = random.pick(["Ada", "Bo", "Chidi", "Dana", "Elif", "Femi", "Grete", "Hana"]);
    const last = random.pick(["Aoki", "Berg", "Costa", "Diallo", "Ek", "Fischer", "Garcia"]);
    const user = {
      id: FIRST_USER_ID + position,
      name: `${first} ${last}`,
      email: `${first}.${last}.${100 + random.below(900)}@example.com`.toLowerCase(),
      plan: random.pick(["free", "team", "pro"]),
      city: random.pick(["Oslo", "São Paulo", "Zürich", "Kyōto", "Accra"]),
      isActive: random.below(4) > 0,
      orderCount: random.below(500),
    };
    yield (position === 0 ? "[" : ",") + JSON.stringify(user);
  }
  yield "]";
}

function* inPieces(parts: Iterable<string>): Iterable<string> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
