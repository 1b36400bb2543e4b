/** The kubelet API's plain requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { AppError } from '../../base/errors.ts';
import { findContainer, findPod, placeOf } from './find.ts';
import { logOptions } from './log-options.ts';
import { readLog } from './log-stream.ts';
import { configz } from './configz.ts';
import { measure } from './measure.ts';
import { metricsText } from './metrics.ts';
import { summaryOf } from './summary.ts';
import type { ServerDeps } from './deps.ts';

export async function serveGet(
	request: IncomingMessage,
	response: ServerResponse,
	url: URL,
	deps: ServerDeps,
	signal: AbortSignal,
): Promise<void> {
	const { context, pods, count, rates } = deps;
	const [, first = '', ...parts] = url.pathname.split('/');
	switch (first) {
		case 'healthz':
			if (parts.length > 1 || !['ping', 'log', 'syncloop', undefined].includes(parts[0])) break;
			return text(response, url.searchParams.has('verbose') ? '[+]ping ok\n[+]log ok\n[+]syncloop ok\nhealthz check passed\n' : 'ok');
		case 'configz':
			if (parts.length > 0) break;
			return json(response, configz(context.options));
		case 'pods':
			return json(response, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: pods() });
		case 'runningpods': {
			const running = (await context.runtime.pods(signal)).filter((p) => p.containers.some((c) => c.state === 'running'));
			const items = running.map(({ uid, name, namespace, containers }) => ({
				metadata: { name, namespace, uid },
				spec: { containers: containers.filter((c) => c.state === 'running').map((c) => ({ name: c.name, image: c.imageRef })) },
			}));
			return json(response, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
		}
		case 'metrics': {
			const metrics = await metricsText(parts.join('/'), context, count, signal);
			if (metrics === undefined) break;
			response.writeHead(200, { 'content-type': metrics.type }).end(metrics.text);
			return;
		}
		case 'stats': {
			if (parts.join('/') !== 'summary') break;
			const only = url.searchParams.get('only_cpu_and_memory') === 'true';
			return json(response, summaryOf(context.options.nodeName, await measure(context, signal), rates, only));
		}
		case 'containerLogs':
			return logs(response, parts, url, deps, signal);
		case 'run':
			return run(request, response, parts, url, deps, signal);
	}
	throw new AppError('NotFound', `404 page not found: ${url.pathname}`);
}

async function logs(
	response: ServerResponse,
	parts: readonly string[],
	url: URL,
	{ context, pods }: ServerDeps,
	signal: AbortSignal,
): Promise<void> {
	const place = placeOf(parts, true);
	if (place?.container === undefined) throw new AppError('NotFound', `404 page not found: ${url.pathname}`);
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
async function run(
	request: IncomingMessage,
	response: ServerResponse,
	parts: readonly string[],
	url: URL,
	{ context, pods }: ServerDeps,
	signal: AbortSignal,
): Promise<void> {
	const place = placeOf(parts, true);
	if (place?.container === undefined || request.method !== 'POST') throw new AppError('NotFound', `404 page not found: ${url.pathname}`);
	const container = await findContainer(findPod(pods(), place), place.container, false, context.runtime, signal);
	const command = (url.searchParams.get('cmd') ?? '').split(' ').filter((word) => word !== '');
	const result = await context.runtime.exec(container.id, command, 0, signal);
	response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.concat([result.stdout, result.stderr]));
}

function text(response: ServerResponse, body: string): void {
	response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
}

function json(response: ServerResponse, body: unknown): void {
	response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
