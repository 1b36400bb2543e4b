/** What a connection asks for, as the object that admission sees and may change (PodExecOptions and its sisters, from the query). Pure. */
import type {
	NodeProxyOptions,
	PodAttachOptions,
	PodExecOptions,
	PodPortForwardOptions,
	PodProxyOptions,
	ServiceProxyOptions,
} from '../../../../api/gen/types.ts';
import { uint16Error } from '../../../../api/go-integer.ts';
import { badRequest } from '../../../../api/status.ts';
import type { ApiRequest, ConnectOptions } from '../../contracts.ts';
import { isTrue } from '../../request/request-info.ts';

export type StreamOptions = PodAttachOptions & Partial<PodExecOptions>;
export type ProxyOptions = PodProxyOptions | ServiceProxyOptions | NodeProxyOptions;

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'] as const;

export function attachOptions({ query }: ApiRequest): PodAttachOptions & ConnectOptions {
	return { kind: 'PodAttachOptions', apiVersion: 'v1', ...flagsOf(query) };
}

export function execOptions({ query }: ApiRequest): PodExecOptions & ConnectOptions {
	return { kind: 'PodExecOptions', apiVersion: 'v1', ...flagsOf(query), command: query.getAll('command') };
}

function flagsOf(query: URLSearchParams): Pick<StreamOptions, (typeof FLAGS)[number] | 'container'> {
	const container = query.get('container') ?? '';
	return {
		...Object.fromEntries(FLAGS.filter((flag) => isTrue(query.get(flag))).map((flag) => [flag, true])),
		...(container === '' ? {} : { container }),
	};
}

/** Several ports in one parameter, or in several. StatusError BadRequest for one that is no number. */
export function portForwardOptions({ query }: ApiRequest): PodPortForwardOptions & ConnectOptions {
	const texts = query.getAll('ports').flatMap((text) => text.split(','));
	const ports = texts.map((text) => {
		const error = uint16Error(text);
		if (error !== undefined) throw badRequest(`cannot convert to []int32: ${error}`);
		return Number(text);
	});
	return { kind: 'PodPortForwardOptions', apiVersion: 'v1', ...(ports.length === 0 ? {} : { ports }) };
}

/** The path is what follows "proxy" in the URL, decoded; '' and "/" are not the same. */
export function proxyOptions(kind: 'PodProxyOptions' | 'ServiceProxyOptions' | 'NodeProxyOptions') {
	return ({ path }: ApiRequest): ProxyOptions & ConnectOptions => {
		const rest = decodedPath(restOf(path));
		return { kind, apiVersion: 'v1', ...(rest === '' ? {} : { path: rest }) };
	};
}

/** What follows the subresource, as it was sent: "/api/v1/namespaces/n/pods/p/proxy/a%20b" gives "/a%20b". */
function restOf(path: string): string {
	const isNamespaced = path.startsWith('/api/v1/namespaces/');
	return path
		.split('/')
		.slice(isNamespaced ? 8 : 6)
		.map((part) => `/${part}`)
		.join('');
}

export function decodedPath(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}
