/** A name of the browser that the types of the official SDK use and Node's do not have. */
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
