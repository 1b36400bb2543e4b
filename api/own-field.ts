/** Fields whose names clients choose. */

/** Sets a field of the object itself, also where its name is "__proto__": plainly assigned, that would be what the object inherits from. */
export function setOwn(object: object, name: string, value: unknown): void {
	if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
	else (object as Record<string, unknown>)[name] = value;
}

/** The field of the object itself; undefined where it only inherits one of that name. */
export function ownField(object: object, name: string): unknown {
	return Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;
}
