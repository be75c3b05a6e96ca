// Names of the browser that the types of the official SDK use and Node's do not have.
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
type RequestInfo = string | URL | Request;
interface ErrorEvent extends Event {
  readonly message: string;
}
interface CloseEvent extends Event {
  readonly code: number;
  readonly reason: string;
}
