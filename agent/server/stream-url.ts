/** The runtime's streaming URL for an exec, attach or port-forward path. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../base/errors.ts';
import type { CommandWants } from '../../wire/remotecommand/session.ts';
import { forwardedPorts } from './forwarded-ports.ts';
import { findPod, placeOf, runningContainer } from './find.ts';
import type { ServerDeps } from './deps.ts';

export async function streamUrl(request: IncomingMessage, url: URL, { context, pods }: ServerDeps, signal: AbortSignal): Promise<string> {
	const [, verb, ...parts] = url.pathname.split('/');
	const { runtime } = context;
	const query = url.searchParams;
	const place = placeOf(parts, verb !== 'portForward');
	if (place === undefined) throw new AppError('NotFound', `no such path: ${url.pathname}`);
	const ports = verb === 'portForward' ? forwardedPorts(request, query) : [];
	const pod = findPod(pods(), place);
	if (verb === 'portForward') {
		const sandbox = (await runtime.pod(pod.metadata.uid ?? '', signal))?.sandboxes.find((s) => s.ready);
		if (sandbox === undefined) throw new AppError('Internal', `pod not found ("${place.pod}_${place.namespace}")`);
		return runtime.portForwardUrl(sandbox.id, ports, signal);
	}
	const container = await runningContainer(pod, place.container ?? '', runtime, signal);
	const { tty, stdin, stdout, stderr } = commandWants(query);
	const streams = { tty, stdin, stdout, stderr: stderr && !tty };
	if (!streams.stdin && !streams.stdout && !streams.stderr)
		throw new AppError('InvalidArgument', 'you must specify at least 1 of stdin, stdout, stderr');
	if (verb === 'exec') return runtime.execUrl(container.id, { command: query.getAll('command'), ...streams }, signal);
	if (verb === 'attach') return runtime.attachUrl(container.id, streams, signal);
	throw new AppError('NotFound', `no such path: ${url.pathname}`);
}

/** Pure. */
export function commandWants(query: URLSearchParams): CommandWants {
	const flag = (name: string): boolean => ['1', 'true'].includes(query.get(name) ?? '');
	return { stdin: flag('input'), stdout: flag('output'), stderr: flag('error'), tty: flag('tty') };
}
