/** Connections (exec, attach, portforward, proxies) as admission sees them: operation CONNECT, the options as object, and no other option. */
import type { KubeObject } from '../../../api/resource.ts';
import { badRequest } from '../../../api/status.ts';
import type { AdmissionAttributes, ApiRequest, ConnectOptions } from '../contracts.ts';
import { notesOf } from './caller.ts';
import { admitMutating, admitValidating, type Parts } from './context.ts';
import type { Target } from './verb.ts';

/** The options as mutating admission left them; StatusError when anyone says no. */
export async function admitted(
	parts: Parts,
	request: ApiRequest,
	{ kind, namespace, name, subresource }: Target,
	options: ConnectOptions | undefined,
): Promise<ConnectOptions | undefined> {
	if (request.query.has('dryRun')) throw badRequest('dryRun is not supported');
	if (options === undefined) return undefined;
	const { group, version, plural } = kind.resource;
	const { user, signal, warn } = request;
	const object = options as unknown as KubeObject;
	const attributes: AdmissionAttributes = {
		...{ operation: 'CONNECT', user, group, version, kind: options.kind, resource: plural, subresource, namespace, name },
		...{ object, oldObject: undefined, options: {}, dryRun: false, warn, ...notesOf(request) },
	};
	await admitMutating(parts, attributes, signal);
	await admitValidating(parts, attributes, signal);
	return options;
}
