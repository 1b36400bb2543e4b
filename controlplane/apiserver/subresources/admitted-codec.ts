/** Bodies that are posted to subresources and virtual resources (bindings, evictions, token requests, reviews) go through admission as they are read. */
import type { KubeObject } from '../../../api/resource.ts';
import type { AdmissionAttributes, ApiRequest } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';
import { callerOf, notesOf } from '../registry/caller.ts';
import { writeOptions } from '../request/options.ts';
import { requestInfo } from '../request/request-info.ts';

/** StatusError when anyone says no; mutating plugins change the object, which is prepared before the validating ones. */
export type Admit = (attributes: AdmissionAttributes, signal: AbortSignal, prepare?: () => void) => Promise<void>;

export function admittedCodec(codec: BodyCodec, admit: Admit): BodyCodec {
	return {
		write: (request, status, object) => codec.write(request, status, object),
		async read<T extends object>(request: ApiRequest, kind: Parameters<BodyCodec['read']>[1], prepare?: (body: T) => void): Promise<T> {
			const body = await codec.read<T>(request, kind);
			const info = requestInfo(request.method, request.path, request.query);
			if (info.type === 'path') return body;
			const object = body as unknown as KubeObject;
			const { group, version, resource, subresource, namespace, name } = info;
			const { user, dryRun, options, warn, signal } = callerOf(request, writeOptions('CreateOptions', request.query));
			const objectName = name === '' ? ((object.metadata as KubeObject['metadata'] | undefined)?.name ?? '') : name;
			await admit(
				{
					...{ operation: 'CREATE', user, group, version, resource, subresource, namespace, name: objectName },
					...{ kind: kind.kind, kindGroup: kind.group, kindVersion: kind.version },
					...{ object, oldObject: undefined, options, dryRun, warn, ...notesOf(request) },
				},
				signal,
				() => prepare?.(body),
			);
			return body;
		},
	};
}
