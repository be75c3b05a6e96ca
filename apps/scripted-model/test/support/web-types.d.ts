// Names of the web platform that the types of the SDKs mention and Node's types do not have.
type RequestInfo = string | URL | Request;
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
type ErrorEvent = Event;
type CloseEvent = Event;
