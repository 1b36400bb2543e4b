/** What a PATCH asks for: the kind of patch by its media type, its bytes and options. */
import { parseJson } from '../../../api/codec/json-text.ts';
import { parseYamlBody } from '../../../api/codec/yaml-body.ts';
import { StatusError } from '../../../api/status.ts';
import type { ApiRequest } from '../contracts.ts';
import { writeOptions, type WriteOptions } from '../request/options.ts';

type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** In upstream's order, which its refusal tells. */
const TYPES: ReadonlyMap<string, PatchType> = new Map([
	['application/json-patch+json', 'json'],
	['application/merge-patch+json', 'merge'],
	['application/strategic-merge-patch+json', 'strategic'],
	['application/apply-patch+yaml', 'apply'],
]);

const CUSTOM_TYPES: ReadonlyMap<string, PatchType> = new Map([...TYPES].filter(([, type]) => type !== 'strategic'));

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
export function patchType({ headers }: Pick<ApiRequest, 'headers'>, custom: boolean): PatchType {
	const header = headers['content-type'] ?? '';
	// The paths of built-in kinds take no other types, and are told all that a list of them names; who serves it wants just one.
	if (!custom && !header.split(',').some((one) => TYPES.has(bareType(one).trim()))) throw unsupported('415: Unsupported Media Type', true);
	const types = custom ? CUSTOM_TYPES : TYPES;
	const type = types.get(bareType(header));
	if (type !== undefined) return type;
	const accepted = [...types.keys()].join(', ');
	throw unsupported(`the body of the request was in an unknown format - accepted media types include: ${accepted}`, false);
}

function bareType(header: string): string {
	return header.split(';', 1)[0] as string;
}

/** @param ofPath what refuses the path's requests tells details, if none */
function unsupported(message: string, ofPath: boolean): StatusError {
	const details = ofPath ? { details: {} } : {};
	return new StatusError({ metadata: {}, status: 'Failure', message, reason: 'UnsupportedMediaType', ...details, code: 415 });
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
