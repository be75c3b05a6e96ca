/** Name of the program, as it is installed. */
export const PROGRAM = "llm-worker-blobs";

/** What `--help` prints. */
export const HELP: string = `${PROGRAM} --store DIR | --store s3://BUCKET/PREFIX [--endpoint URL] COMMAND

Commands:
  put FILE|-              store a file, or standard input; prints the id
      --media-type TYPE   default: JSON, text or binary by what it is
  ls                      id, bytes and time of each blob
  stat ID                 what is known of a blob
  inspect ID [SELECTOR]   the answer that a model would get
      --raw               the payload alone, byte for byte
      --max-answer-bytes N   default 16384
  walk ID                 the whole blob, answer by answer, byte for byte
      --max-answer-bytes N   default 1048576
  gc --sessions DIR | s3://BUCKET/PREFIX
                          delete the blobs that no file in DIR, or no session of an S3SessionStore, names,
                          by age and size
      --max-age AGE       at this age; default 7d, none for no such rule
      --max-bytes N       the oldest, while all blobs together have more bytes
      --min-age AGE       never younger ones; default 1h
      --pin ID            never this one; may be repeated
      --dry-run           only say which

Options:
  --store      directory of an FsBlobStore, or place of an S3BlobStore
  --endpoint   URL of a service that speaks S3, with path-style addresses
  --json       results as JSON
  --help

AGE is a number with ms, s, m, h or d. Exit codes: 0 done, 1 not found or refused, 2 wrong usage.
`;

/** The command line cannot be understood. */
export class UsageError extends Error {}

/** What was asked for is not there, or is refused. The message is for the user. */
export class CommandError extends Error {}
