/** pods/log, exec, attach and portforward: checked here, then passed to the kubelet of the pod's node. */
import type { Pod } from '../../../api/gen/types.ts';
import { NODES, PODS } from '../../../api/resources.ts';
import { badRequest, forbidden, notFound } from '../../../api/status.ts';
import { forbiddenMessage } from '../authz/forbidden.ts';
import type { ApiRequest, ApiResponse, Authorizer, ObjectReader, SubresourceHandler } from '../contracts.ts';
import type { Backend } from './backend.ts';
import { kubeletAddress } from './kubelet-address.ts';
import { isTrue, logQuery } from './log-options.ts';
import { chosenContainer } from './pod-container.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly authorizer: Authorizer;
	/** Shows the API server's client certificate to kubelets. */
	readonly kubelets: Backend;
}

interface Target {
	readonly namespace: string;
	readonly name: string;
	readonly verb: string;
}

type Make = (pod: Pod, request: ApiRequest) => string;

export function podStreams(deps: Deps): readonly SubresourceHandler[] {
	const one = (subresource: string, handle: (request: ApiRequest, target: Target) => Promise<ApiResponse>): SubresourceHandler => ({
		group: '',
		resource: 'pods',
		subresource,
		handle,
	});
	const upgraded = (subresource: string, path: Make): SubresourceHandler =>
		one(subresource, (request, target) => connect(deps, subresource, request, target, path));
	return [
		one('log', (request, target) => log(deps, request, target)),
		upgraded('exec', (pod, { query }) => `/exec/${place(pod)}/${container(pod, query)}?${execQuery(query).toString()}`),
		upgraded('attach', (pod, { query }) => `/attach/${place(pod)}/${container(pod, query)}?${execQuery(query).toString()}`),
		upgraded(
			'portforward',
			(pod, { query }) =>
				`/portForward/${place(pod)}?${new URLSearchParams(query.getAll('ports').map((port) => ['port', port] as [string, string])).toString()}`,
		),
	];
}

async function log(deps: Deps, request: ApiRequest, target: Target): Promise<ApiResponse> {
	const { query } = request;
	const options = logQuery(query, target.name);
	const pod = findPod(deps, target);
	const name = chosenContainer(pod, query.get('container') ?? '');
	if ((pod.spec?.nodeName ?? '') === '') return { type: 'bytes', status: 204, headers: {}, body: new Uint8Array() };
	const answer = await toKubelet(deps, request, pod, `/containerLogs/${place(pod)}/${name}?${options.toString()}`);
	if (answer.type === 'stream' && answer.status === 200) return { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } };
	return answer;
}

async function connect(deps: Deps, subresource: string, request: ApiRequest, target: Target, path: Make): Promise<ApiResponse> {
	await checkCreate(deps, subresource, request, target);
	const pod = findPod(deps, target);
	const kubeletPath = path(pod, request);
	if ((pod.spec?.nodeName ?? '') === '') throw badRequest(`pod ${target.name} does not have a host assigned`);
	const phase = pod.status?.phase;
	if (subresource === 'exec' && (phase === 'Succeeded' || phase === 'Failed'))
		throw badRequest(`cannot exec into a container in a completed pod; current phase is ${phase}`);
	if (request.headers['upgrade'] === undefined) throw badRequest('Upgrade request required');
	return toKubelet(deps, request, pod, kubeletPath);
}

/** A WebSocket handshake is a GET, but running commands takes more than reading: it needs "create" too (since 1.35). */
async function checkCreate(
	{ authorizer }: Deps,
	subresource: string,
	request: ApiRequest,
	{ namespace, name, verb }: Target,
): Promise<void> {
	if (verb !== 'get' || request.headers['upgrade']?.toLowerCase() !== 'websocket') return;
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
	if (!decision.allowed) throw forbidden(PODS, name, forbiddenMessage(asked, decision.reason));
}

function findPod({ objects }: Deps, { namespace, name }: Target): Pod {
	const pod = objects.get(PODS, `${namespace}/${name}`);
	if (pod === undefined) throw notFound(PODS, name);
	return pod;
}

function toKubelet({ objects, kubelets }: Deps, request: ApiRequest, pod: Pod, path: string): Promise<ApiResponse> {
	const name = pod.spec?.nodeName ?? '';
	const node = objects.get(NODES, name);
	if (node === undefined) throw notFound(NODES, name);
	return kubelets.pass(request, { scheme: 'https', ...kubeletAddress(node), path });
}

function place(pod: Pod): string {
	return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

function container(pod: Pod, query: URLSearchParams): string {
	return chosenContainer(pod, query.get('container') ?? '');
}

/** The kubelet's names for what to attach (upstream's core.ExecStdinParam and its sisters). */
function execQuery(query: URLSearchParams): URLSearchParams {
	const out = new URLSearchParams();
	for (const [ours, theirs] of [
		['stdin', 'input'],
		['stdout', 'output'],
		['stderr', 'error'],
		['tty', 'tty'],
	] as const)
		if (isTrue(query.get(ours))) out.set(theirs, '1');
	for (const word of query.getAll('command')) out.append('command', word);
	return out;
}
