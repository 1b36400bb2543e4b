/** Request bodies as objects, and the codec that subresources use. */
import { decodeBody } from '../../../api/codec/codec.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { mediaTypeOf } from '../../../wire/http/media-type.ts';
import { answerObject } from '../answer/formats.ts';
import type { ApiRequest } from '../contracts.ts';
import type { BodyCodec } from './body-codec.ts';
import { writeOptions, type FieldValidation } from './options.ts';

const MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
type BodyType = (typeof MEDIA_TYPES)[number];

export type { KindName } from '../../../api/kind-name.ts';

/** Custom resources have no protobuf form. */
export const CUSTOM_TYPES: readonly BodyType[] = ['application/json', 'application/yaml'];

/** The media type of the body; StatusError UnsupportedMediaType. */
export function bodyType(request: ApiRequest, accepted: readonly BodyType[] = MEDIA_TYPES): BodyType {
	const header = request.headers['content-type'];
	if (header === undefined || header === '') return 'application/json';
	const type = mediaTypeOf(header);
	const found = accepted.find((m) => m === type);
	if (found !== undefined) return found;
	// Upstream names them all, also where one is not taken.
	const named = MEDIA_TYPES.some((m) => m === type) ? accepted : MEDIA_TYPES;
	throw new StatusError({
		metadata: {},
		status: 'Failure',
		message: `the body of the request was in an unknown format - accepted media types include: ${named.join(', ')}`,
		reason: 'UnsupportedMediaType',
		code: 415,
	});
}

/**
 * The body as this kind, decoded as strictly as asked and with its defaults.
 * @param decoded what the kind makes of it before anybody sees it
 */
export async function readObject(
	request: ApiRequest,
	kind: KindName,
	validation: FieldValidation,
	decoded?: (object: KubeObject) => void,
): Promise<KubeObject> {
	const type = bodyType(request);
	const bytes = await request.body();
	const object = decodeBody(bytes, type, kind, { strictness: validation, warn: request.warn }) as unknown as KubeObject;
	decoded?.(object);
	request.audit?.object(object);
	return object;
}

export const bodyCodec: BodyCodec = {
	async read<T extends object>(request: ApiRequest, kind: KindName): Promise<T> {
		bodyType(request); // refused before the query is
		const { fieldValidation } = writeOptions('CreateOptions', request.query);
		return (await readObject(request, kind, fieldValidation)) as unknown as T;
	},
	write: (request, status, object) => answerObject(request, status, object),
};
