/** Bodies of requests that are no plain object write (reviews, token requests, evictions, bindings): the pipeline's codecs by Content-Type and Accept. */
import type { ApiRequest, ApiResponse } from '../contracts.ts';

export interface BodyCodec {
	/**
	 * Decodes and defaults as this kind, as strictly as the query asks. StatusError BadRequest, Invalid (options), UnsupportedMediaType.
	 * @param prepare checks and completes what was read before validating admission sees it; heeded by the codec that asks admission
	 */
	read<T extends object>(
		request: ApiRequest,
		kind: { readonly group: string; readonly version: string; readonly kind: string },
		prepare?: (body: T) => void,
	): Promise<T>;
	/** Encodes as Accept asks; the object carries apiVersion and kind. */
	write(request: ApiRequest, status: number, object: object): ApiResponse;
}
