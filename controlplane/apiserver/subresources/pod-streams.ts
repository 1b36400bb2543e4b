/** pods/log, exec, attach and portforward: checked here, then passed to the kubelet of the pod's node. */
import type { Pod } from '../../../api/gen/types.ts';
import { NODES, PODS } from '../../../api/resources.ts';
import { badRequest, forbidden, notFound } from '../../../api/status.ts';
import { socketAsked } from '../answer/event-messages.ts';
import { answerPieces, readerProtocol } from '../answer/stream-messages.ts';
import type {
	ApiRequest,
	ApiResponse,
	Authorizer,
	ConnectOptions,
	ObjectReader,
	SubresourceHandler,
	SubresourceTarget,
} from '../contracts.ts';
import type { Backend, BackendTarget } from './backend.ts';
import { attachOptions, execOptions, portForwardOptions, type StreamOptions } from './connect-options.ts';
import { kubeletAddress } from '../../kubelet-address.ts';
import { logQuery } from './log-options.ts';
import { chosenContainer } from './pod-container.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly authorizer: Authorizer;
	/** Shows the API server's client certificate to kubelets. */
	readonly kubelets: Backend;
}

/** The kubelet's path for what is asked for. */
type Make<O> = (pod: Pod, options: O) => string;

export function podStreams(deps: Deps): readonly SubresourceHandler[] {
	const upgraded = <O extends object>(
		subresource: string,
		options: (request: ApiRequest) => O & ConnectOptions,
		path: Make<O>,
	): SubresourceHandler => ({
		group: '',
		resource: 'pods',
		subresource,
		connect: options,
		handle: (request, target) => connect(deps, subresource, request, target, (pod) => path(pod, target.options as unknown as O)),
	});
	return [
		{ group: '', resource: 'pods', subresource: 'log', handle: (request, target) => log(deps, request, target) },
		upgraded('exec', execOptions, (pod, options) => `/exec/${place(pod)}/${container(pod, options)}?${streamQuery(options).toString()}`),
		upgraded(
			'attach',
			attachOptions,
			(pod, options) => `/attach/${place(pod)}/${container(pod, options)}?${streamQuery(options).toString()}`,
		),
		upgraded(
			'portforward',
			portForwardOptions,
			(pod, { ports }) =>
				`/portForward/${place(pod)}?${new URLSearchParams((ports ?? []).map((port) => ['port', `${port}`] as [string, string])).toString()}`,
		),
	];
}

async function log(deps: Deps, request: ApiRequest, target: SubresourceTarget): Promise<ApiResponse> {
	const { query } = request;
	const options = logQuery(query, target.name);
	const pod = findPod(deps, target);
	const name = chosenContainer(pod, query.get('container') ?? '');
	if ((pod.spec?.nodeName ?? '') === '') return { type: 'bytes', status: 204, headers: {}, body: new Uint8Array() };
	const take = socketAsked(request);
	const protocol = take === undefined ? '' : readerProtocol(request);
	if (protocol === undefined) throw badRequest('requested protocol(s) are not supported');
	const gone = new AbortController();
	const plain = take === undefined ? request : withoutUpgrade(request, gone.signal);
	const answer = await deps.kubelets.pass(plain, kubeletOf(deps, pod, `/containerLogs/${place(pod)}/${name}?${options.toString()}`));
	if (answer.type !== 'stream' || answer.status !== 200) return answer;
	return take === undefined
		? { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }
		: answerPieces(request, take, protocol, answer.body, gone);
}

/** The kubelet is asked for a body; who asked for a WebSocket gets it over that. It lives as long as the client's socket. */
function withoutUpgrade(request: ApiRequest, signal: AbortSignal): ApiRequest {
	const { method, path, query, user, remoteAddress, headers } = request;
	const kept = Object.entries(headers).filter(([name]) => name !== 'upgrade' && !name.startsWith('sec-websocket-'));
	return {
		...{ method, path, query, user, remoteAddress, signal },
		headers: Object.fromEntries(kept),
		body: (limit) => request.body(limit),
		warn: (text) => request.warn(text),
	};
}

async function connect(
	deps: Deps,
	subresource: string,
	request: ApiRequest,
	target: SubresourceTarget,
	path: (pod: Pod) => string,
): Promise<ApiResponse> {
	await checkCreate(deps, subresource, request, target);
	const pod = findPod(deps, target);
	const kubeletPath = path(pod);
	if ((pod.spec?.nodeName ?? '') === '') throw badRequest(`pod ${target.name} does not have a host assigned`);
	const phase = pod.status?.phase;
	if (subresource === 'exec' && (phase === 'Succeeded' || phase === 'Failed'))
		throw badRequest(`cannot exec into a container in a completed pod; current phase is ${phase}`);
	const kubelet = kubeletOf(deps, pod, kubeletPath);
	if (request.headers['upgrade'] === undefined) throw badRequest('Upgrade request required');
	return deps.kubelets.pass(request, kubelet);
}

/** A WebSocket handshake is a GET, but running commands takes more than reading: a GET needs "create" too (since 1.35). */
async function checkCreate(
	{ authorizer }: Deps,
	subresource: string,
	request: ApiRequest,
	{ namespace, name, verb }: SubresourceTarget,
): Promise<void> {
	if (verb !== 'get') return;
	const asked = {
		type: 'resource',
		user: request.user,
		verb: 'create',
		group: '',
		version: 'v1',
		resource: 'pods',
		subresource,
		namespace,
		name,
	} as const;
	const decision = await authorizer.authorize(asked, request.signal);
	if (!decision.allowed) throw forbidden(PODS, name, decision.reason);
}

function findPod({ objects }: Deps, { namespace, name }: SubresourceTarget): Pod {
	const pod = objects.get(PODS, `${namespace}/${name}`);
	if (pod === undefined) throw notFound(PODS, name);
	return pod;
}

/** A node that is not there is told of as what was asked for, as upstream's storage does. */
function kubeletOf({ objects }: Deps, pod: Pod, path: string): BackendTarget {
	const name = pod.spec?.nodeName ?? '';
	const node = objects.get(NODES, name);
	if (node === undefined) throw notFound(PODS, name);
	return { scheme: 'https', ...kubeletAddress(node), path };
}

function place(pod: Pod): string {
	return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

function container(pod: Pod, { container: asked = '' }: StreamOptions): string {
	return chosenContainer(pod, asked);
}

/** The kubelet's names for what to attach (upstream's core.ExecStdinParam and its sisters). */
function streamQuery({ stdin, stdout, stderr, tty, command = [] }: StreamOptions): URLSearchParams {
	const out = new URLSearchParams();
	for (const [name, isAsked] of Object.entries({ input: stdin, output: stdout, error: stderr, tty }))
		if (isAsked === true) out.set(name, '1');
	for (const word of command) out.append('command', word);
	return out;
}
