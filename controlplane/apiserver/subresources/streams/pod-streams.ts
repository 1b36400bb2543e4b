/** pods/log, exec, attach and portforward: checked here, then passed to the kubelet of the pod's node. */
import type { IncomingMessage } from 'node:http';
import type { Node, Pod } from '../../../../api/gen/types.ts';
import { NODES, PODS } from '../../../../api/resources.ts';
import { badRequest, forbidden, notFound } from '../../../../api/status.ts';
import type { Clock } from '../../../../base/clock.ts';
import { asksStreamClose, asksTunnel } from '../../../../wire/remotecommand/asked.ts';
import { socketAsked } from '../../answer/event-messages.ts';
import { answerPieces, readerProtocol } from '../../answer/stream-messages.ts';
import { isTrue } from '../../request/request-info.ts';
import type {
	ApiRequest,
	ApiResponse,
	Authorizer,
	ConnectOptions,
	ObjectReader,
	SubresourceHandler,
	SubresourceTarget,
} from '../../contracts.ts';
import type { StreamMetrics } from '../../metrics/stream-metrics.ts';
import type { Backend, BackendTarget } from '../proxy/backend.ts';
import { attachOptions, execOptions, portForwardOptions, type StreamOptions } from './connect-options.ts';
import { kubeletAddress } from '../../../kubelet-address.ts';
import { isLog, MAX_TOLD_BYTES, refusedBy } from './kubelet-answers.ts';
import { logQuery } from './log-options.ts';
import { translated } from './command-translation.ts';
import { chosenContainer } from './pod-container.ts';
import { tunnelled } from './stream-tunnel.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly authorizer: Authorizer;
	/** Shows the API server's client certificate to kubelets. */
	readonly kubelets: Backend;
	/** Of nodes' addresses those that reach their kubelets, in order. */
	readonly kubeletAddressTypes?: readonly string[] | undefined;
	readonly clock: Clock;
	readonly metrics: StreamMetrics;
}

/** Declared by nodes whose kubelet takes WebSockets of every kind itself. */
const KNOWS_WEBSOCKETS = 'ExtendWebSocketsToKubelet';

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
		upgraded('exec', execOptions, (pod, options) => withQuery(`/exec/${place(pod)}/${container(pod, options)}`, streamQuery(options))),
		upgraded('attach', attachOptions, (pod, options) =>
			withQuery(`/attach/${place(pod)}/${container(pod, options)}`, streamQuery(options)),
		),
		upgraded('portforward', portForwardOptions, (pod, { ports }) =>
			withQuery(`/portForward/${place(pod)}`, new URLSearchParams(ports === undefined ? {} : { port: ports.join(',') })),
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
	const path = withQuery(`/containerLogs/${place(pod)}/${name}`, options);
	const unverified = isTrue(query.get('insecureSkipTLSVerifyBackend'));
	// The kubelet hears of what is asked for alone; it is asked as long as the client's socket lives.
	const answer = await asked(
		deps.kubelets,
		{ ...kubeletOf(deps, pod), path },
		unverified,
		take === undefined ? request.signal : gone.signal,
	);
	const { statusCode: status = 502, headers } = answer;
	if (!isLog(status)) throw refusedBy(status, await beginningOf(answer, MAX_TOLD_BYTES), target.name, headers.location);
	return take === undefined
		? { type: 'stream', status: 200, headers: { 'content-type': 'text/plain' }, body: answer }
		: answerPieces(request, take, protocol, answer, gone);
}

function asked(kubelets: Backend, target: BackendTarget, unverified: boolean, signal: AbortSignal): Promise<IncomingMessage> {
	return kubelets.get(unverified ? { ...target, tls: { ...kubelets.tls, verify: false } } : target, signal);
}

async function beginningOf(body: AsyncIterable<Uint8Array>, bytes: number): Promise<string> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		length += chunk.length;
		if (length >= bytes) break;
	}
	return Buffer.concat(chunks).subarray(0, bytes).toString();
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
	const kubelet = kubeletOf(deps, pod);
	const isKnown = nodeOf(deps, pod).status?.declaredFeatures?.includes(KNOWS_WEBSOCKETS) === true;
	deps.metrics.asked(subresource, isKnown);
	const { upgrade } = request;
	if (upgrade === undefined) throw badRequest('Upgrade request required');
	const host = request.headers['host'];
	const asked = { ...kubelet, path: kubeletPath, ...(host === undefined ? {} : { headers: { host } }) };
	if (isKnown) return deps.kubelets.pass(request, asked);
	// Of several lines, upstream reads the first.
	const protocols = request.repeated?.lines('sec-websocket-protocol')[0] ?? request.headers['sec-websocket-protocol'];
	const headers = { upgrade: request.headers['upgrade'], 'sec-websocket-protocol': protocols };
	if (subresource === 'portforward')
		return asksTunnel(headers) ? tunnelled(deps, request, upgrade, asked) : deps.kubelets.pass(request, asked);
	if (!asksStreamClose(headers)) return deps.kubelets.pass(request, asked);
	const { stdin = false, stdout = false, stderr = false, tty = false } = target.options as StreamOptions;
	return translated(deps, request, upgrade, { stdin, stdout, stderr, tty }, asked);
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

function kubeletOf(deps: Deps, pod: Pod): Omit<BackendTarget, 'path'> {
	return { scheme: 'https', ...kubeletAddress(nodeOf(deps, pod), deps.kubeletAddressTypes) };
}

/** A node that is gone is told of as of the pods' kind, which the request is about. */
function nodeOf({ objects }: Deps, pod: Pod): Node {
	const name = pod.spec?.nodeName ?? '';
	const node = objects.get(NODES, name);
	if (node === undefined) throw notFound(PODS, name);
	return node;
}

function withQuery(path: string, query: URLSearchParams): string {
	return query.size === 0 ? path : `${path}?${query.toString()}`;
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
	out.sort();
	return out;
}
