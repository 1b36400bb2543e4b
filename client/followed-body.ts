/** The body of an answer, while somebody follows how it comes. */

export interface BodyFollower {
	readonly piece?: (piece: Uint8Array) => unknown;
	/** All of it has been read. */
	readonly whole?: () => void;
	/** Whoever read it has enough. */
	readonly left?: () => void;
	/** It broke. */
	readonly failed?: (error: unknown) => void;
}

/** The same pieces. */
export function followed(body: AsyncIterable<Uint8Array>, { piece, whole, left, failed }: BodyFollower): AsyncIterable<Uint8Array> {
	return {
		[Symbol.asyncIterator]() {
			const pieces = body[Symbol.asyncIterator]();
			return {
				async next() {
					try {
						const next = await pieces.next();
						if (next.done === true) whole?.();
						else piece?.(next.value);
						return next;
					} catch (error) {
						failed?.(error);
						throw error;
					}
				},
				async return(value?: unknown) {
					left?.();
					return (await pieces.return?.(value)) ?? { done: true, value: undefined };
				},
			};
		},
	};
}
