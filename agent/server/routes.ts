/** The kubelet API's plain requests. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { settingsIn } from '../config/settings.ts';
import { answer, json, jsonText, text } from './answers.ts';
import { checkpoint } from './checkpoint.ts';
import { configz } from './configz.ts';
import { flagz, profile, statusz } from './debug.ts';
import { findContainer, findPod, placeOf, runningContainer } from './find.ts';
import { logOptions } from './log-options.ts';
import { nodeLogQuery } from './log-query.ts';
import { readLog } from './log-stream.ts';
import { measure } from './measure.ts';
import { metricsText } from './metrics.ts';
import { answerQuery, NODE_LOGS, serveLogFile } from './node-logs.ts';
import { summaryOf } from './summary.ts';
import { TEXT_FORMAT } from './exposition.ts';
import { verbosity } from './verbosity.ts';
import type { ServerDeps, ServerState } from './deps.ts';

export interface Asked {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly url: URL;
	readonly deps: ServerDeps;
	readonly state: ServerState;
	readonly signal: AbortSignal;
}

/** What is served where nobody is asked who they are. */
const OPEN = new Set(['healthz', 'pods', 'stats', 'metrics']);
/** What shows or touches the inside of containers and of the node. */
const DEBUGGING = new Set(['run', 'exec', 'attach', 'portForward', 'containerLogs', 'runningpods', 'logs']);

/** By which methods a path is served; any where it is not named. */
const METHODS: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries({
		...{ pods: ['GET'], runningpods: ['GET'], containerLogs: ['GET'], logs: ['GET'], stats: ['GET', 'POST'], run: ['POST'] },
		...{ exec: ['GET', 'POST'], attach: ['GET', 'POST'], portForward: ['GET', 'POST'], checkpoint: ['POST'] },
	}),
);

/** Pure. @param first the path's first part */
export function isServedBy(first: string, method: string): boolean {
	return METHODS.get(first)?.includes(method) !== false;
}

/** @param open of the read-only port */
export async function serve(asked: Asked, open = false): Promise<void> {
	const { request, response, url, deps, state, signal } = asked;
	const { context, pods, rates } = deps;
	const settings = settingsIn(context.options).server;
	const [, first = '', ...parts] = url.pathname.split('/');
	const refuse = (status: number, what: string): void => answer(response, { status, text: `${what}\n` });
	const disabled = (what: string): void => refuse(405, what);
	if (open && !OPEN.has(first)) throw notFound(url);
	if (!settings.debugging && DEBUGGING.has(first)) return disabled('Debug endpoints are disabled.');
	if (!isServedBy(first, request.method ?? '')) return refuse(405, '405: Method Not Allowed');
	switch (first) {
		case 'healthz': {
			if (parts.length > 1) break;
			const health = state.health.answer(parts[0] || undefined, url.searchParams);
			if (health === undefined) break;
			return answer(response, health);
		}
		case 'configz':
			if (parts.length > 0) break;
			return json(response, configz(context.options));
		case 'statusz':
			if (parts.length > 0) break;
			return statusz(request, response, deps, state);
		case 'flagz':
			if (parts.length > 0) break;
			return flagz(request, response, deps);
		case 'pods':
			return json(response, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: pods() });
		case 'runningpods':
			return json(response, await runningPods(deps, signal));
		case 'metrics':
			return metrics(parts.join('/'), asked);
		case 'stats': {
			if (parts.join('/') !== 'summary') break;
			const only = url.searchParams.get('only_cpu_and_memory') === 'true';
			const volumes = only ? undefined : await deps.volumes?.all(signal);
			return json(response, summaryOf(context.options.nodeName, await measure(context, signal), rates, only, volumes));
		}
		case 'containerLogs':
			return logs(parts, asked);
		case 'exec':
		case 'attach':
		case 'portForward':
			return refuse(400, 'Upgrade request required');
		case 'run':
			return run(parts, asked);
		case 'checkpoint':
			return jsonText(response, await checkpoint(parts, url, deps, state.checkpoints, signal));
		case 'logs':
			if (!settings.systemLogs) return disabled('logs endpoint is disabled.');
			return nodeLogs(parts, settings.logQuery, asked);
		case 'debug':
			if (parts.join('/') === 'flags/v') {
				if (!settings.debugging) return disabled('Debug endpoints are disabled.');
				if (!settings.debugFlags) return disabled('flags endpoint is disabled.');
				return verbosity(request, response, context.log);
			}
			if (parts[0] !== 'pprof' || parts.length > 2) break;
			if (!settings.debugging) return disabled('Debug endpoints are disabled.');
			if (!settings.profiling) return disabled('profiling endpoint is disabled.');
			return profile(parts[1] ?? '', response, url, deps, state, signal);
	}
	throw notFound(url);
}

function notFound(url: URL): AppError {
	return new AppError('NotFound', `404 page not found: ${url.pathname}`);
}

async function runningPods({ context }: ServerDeps, signal: AbortSignal): Promise<object> {
	const running = (await context.runtime.pods(signal)).filter((p) => p.containers.some((c) => c.state === 'running'));
	const items = running.map(({ uid, name, namespace, containers }) => ({
		metadata: { name, namespace, uid },
		spec: { containers: containers.filter((c) => c.state === 'running').map((c) => ({ name: c.name, image: c.imageRef })) },
	}));
	return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
}

async function metrics(path: string, { response, url, deps, state, signal }: Asked): Promise<void> {
	const found = path === 'slis' ? { type: TEXT_FORMAT, text: await state.health.metrics() } : await metricsText(path, deps, signal);
	if (found === undefined) throw notFound(url);
	response.writeHead(200, { 'content-type': found.type }).end(found.text);
}

async function nodeLogs(parts: readonly string[], mayQuery: boolean, { response, url, deps, state, signal }: Asked): Promise<void> {
	const verdict = mayQuery ? nodeLogQuery(url.searchParams) : { type: 'none' as const };
	switch (verdict.type) {
		case 'none':
			return serveLogFile(NODE_LOGS, parts.map(decodeURIComponent).join('/'), response, signal);
		case 'faults': {
			const lines = verdict.faults.map(({ field, message }) => `${field}: ${message}`);
			return answer(response, { status: 400, text: `${lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`}\n` });
		}
		case 'query': {
			const from = { root: NODE_LOGS, clock: deps.context.clock, journal: 'journalctl' };
			return state.queries.run(`${deps.context.clock.uuid()}`, () => answerQuery(verdict.query, response, from, signal));
		}
	}
}

async function logs(parts: readonly string[], { response, url, deps: { context, pods }, signal }: Asked): Promise<void> {
	const place = placeOf(parts, true);
	if (place?.container === undefined) throw notFound(url);
	const pod = findPod(pods(), place);
	const options = logOptions(url.searchParams, context.clock.now());
	const container = await findContainer(pod, place.container, options.previous, context.runtime, signal);
	const uid = pod.metadata.uid ?? '';
	const running = async (): Promise<boolean> =>
		(await context.runtime.pod(uid, signal))?.containers.some((c) => c.id === container.id && c.state === 'running') ?? false;
	response.writeHead(200, { 'content-type': 'text/plain' });
	response.flushHeaders();
	for await (const chunk of readLog({ path: container.logPath, clock: context.clock, running }, options, signal))
		if (!response.write(chunk)) await once(response, 'drain', { signal });
	response.end();
}

/** Runs a command and answers with its output. */
async function run(parts: readonly string[], { response, url, deps: { context, pods }, signal }: Asked): Promise<void> {
	const place = placeOf(parts, true);
	if (place?.container === undefined) throw notFound(url);
	const container = await runningContainer(findPod(pods(), place), place.container, context.runtime, signal);
	const command = (url.searchParams.get('cmd') ?? '').split(' ').filter((word) => word !== '');
	const { exitCode, stdout, stderr } = await context.runtime.exec(container.id, command, 0, signal);
	if (exitCode !== 0)
		throw new AppError('Internal', `command '${command.join(' ')}' exited with ${exitCode}: ${Buffer.from(stderr).toString('utf8')}`);
	text(response, Buffer.concat([stdout, stderr]).toString('utf8'));
}
