/** What a PATCH asks for: the kind of patch by its media type, its bytes and options. */
import { parseJson } from '../../../api/codec/json-text.ts';
import { parseYamlBody } from '../../../api/codec/yaml-body.ts';
import { StatusError } from '../../../api/status.ts';
import type { ApiRequest } from '../contracts.ts';
import { writeOptions, type WriteOptions } from '../request/options.ts';

type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const TYPES: Readonly<Record<string, PatchType>> = {
	'application/json-patch+json': 'json',
	'application/merge-patch+json': 'merge',
	'application/strategic-merge-patch+json': 'strategic',
	'application/apply-patch+yaml': 'apply',
	'application/apply-patch+json': 'apply',
};

const CUSTOM_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

export interface AskedPatch {
	readonly type: PatchType;
	readonly bytes: Uint8Array;
	readonly options: WriteOptions;
}

/** @param custom strategic patches need types that custom resources do not have */
export async function readPatch(request: ApiRequest, custom = false): Promise<AskedPatch> {
	const type = patchType(request, custom);
	const options = writeOptions('PatchOptions', request.query, type === 'apply');
	const bytes = await request.body();
	if (request.audit !== undefined) request.audit.patch(patchText(type, bytes));
	return { type, bytes, options };
}

/** StatusError UnsupportedMediaType. */
export function patchType(request: ApiRequest, custom: boolean): PatchType {
	const header = (request.headers['content-type'] ?? '').split(';', 1)[0] as string;
	const type = TYPES[header.trim()];
	if (type === undefined || (custom && type === 'strategic'))
		throw new StatusError({
			metadata: {},
			status: 'Failure',
			message: custom
				? `the body of the request was in an unknown format - accepted media types include: ${CUSTOM_TYPES.join(', ')}`
				: '415: Unsupported Media Type',
			reason: 'UnsupportedMediaType',
			...(custom ? {} : { details: {} }),
			code: 415,
		});
	return type;
}

/** As the audit log has it: JSON, whatever it came as; a text where it is neither. */
function patchText(type: PatchType, bytes: Uint8Array): unknown {
	const text = Buffer.from(bytes).toString();
	try {
		return type === 'apply' && !text.startsWith('{') ? parseYamlBody(bytes).value : parseJson(text);
	} catch {
		return text;
	}
}
