/** Thrown where a request cannot be served at all; answered by {@link internalError}. */
export class Unserved extends Error {
	override readonly name = 'Unserved';
}
