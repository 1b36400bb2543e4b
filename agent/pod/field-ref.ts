/** The value of a field path of the downward API. Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';

export interface FieldContext {
	readonly pod: Pod;
	readonly podIps: readonly string[];
	readonly hostIps: readonly string[];
}

/** AppError InvalidArgument for a path that the downward API does not offer. */
export function fieldValue(path: string, { pod, podIps, hostIps }: FieldContext): string {
	const { metadata, spec } = pod;
	const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
	if (subscript !== null) return metadata[subscript[1] as 'labels' | 'annotations']?.[subscript[2] ?? ''] ?? '';
	switch (path) {
		case 'metadata.name':
			return metadata.name ?? '';
		case 'metadata.namespace':
			return metadata.namespace ?? '';
		case 'metadata.uid':
			return metadata.uid ?? '';
		case 'metadata.labels':
			return formatMap(metadata.labels ?? {});
		case 'metadata.annotations':
			return formatMap(metadata.annotations ?? {});
		case 'spec.nodeName':
			return spec?.nodeName ?? '';
		case 'spec.serviceAccountName':
			return spec?.serviceAccountName ?? '';
		case 'status.hostIP':
			return hostIps[0] ?? '';
		case 'status.hostIPs':
			return hostIps.join(',');
		case 'status.podIP':
			return podIps[0] ?? '';
		case 'status.podIPs':
			return podIps.join(',');
		default:
			throw new AppError('InvalidArgument', `unsupported fieldPath: ${path}`);
	}
}

/** One `key="value"` a line, sorted, values quoted as Go does. */
function formatMap(map: Readonly<Record<string, string>>): string {
	return Object.keys(map)
		.sort()
		.map((key) => `${key}=${JSON.stringify(map[key])}`)
		.join('\n');
}
