/** One try of a probe. */
import { connect } from 'node:net';
import type { Container, Probe } from '../../api/gen/types.ts';
import { withDeadline } from '../../base/abort.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { minorOf } from '../hooks/run-hook.ts';
import { goDuration } from '../image/duration.ts';
import { expand } from '../pod/expansion.ts';
import { dialMessage } from './dial-error.ts';
import { grpcHealth } from './grpc.ts';
import { httpGet, type HttpAnswer } from './http.ts';
import { httpTarget, portOf } from './target.ts';

export type ProbeOutcome =
	| { readonly result: 'success'; readonly output: string }
	| { readonly result: 'warning'; readonly output: string }
	| { readonly result: 'failure'; readonly output: string }
	/** It could not be tried: says nothing of the container. */
	| { readonly result: 'error'; readonly output: string };

const MAX_OUTPUT = 10 * 1024;

export async function runProbe(
	probe: Probe,
	container: Container,
	containerId: string,
	podIp: string,
	context: AgentContext,
	signal: AbortSignal,
): Promise<ProbeOutcome> {
	const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
	if (probe.exec !== undefined) return execProbe(withValues(probe.exec.command ?? [], container), containerId, timeoutMs, context, signal);
	let attempt: Attempt;
	try {
		attempt = attemptOf(probe, container, podIp, timeoutMs, context);
	} catch (error) {
		return { result: 'error', output: messageOf(error) };
	}
	using deadline = withDeadline(context.clock, timeoutMs, 'probe', signal);
	try {
		return await attempt.run(deadline.signal);
	} catch (error) {
		signal.throwIfAborted();
		return { result: 'failure', output: (deadline.signal.aborted ? attempt.late : undefined) ?? messageOf(error) };
	}
}

interface Attempt {
	/** Upstream's words for no answer in time, where what it rejects with does not say them. */
	readonly late?: string;
	/** Rejects with what the probe failed with. */
	run(signal: AbortSignal): Promise<ProbeOutcome>;
}

/** AppError InvalidArgument where there is nothing to try. */
function attemptOf(
	{ httpGet: http, tcpSocket: tcp, grpc }: Probe,
	container: Container,
	podIp: string,
	timeoutMs: number,
	{ options, clock }: AgentContext,
): Attempt {
	if (http !== undefined) {
		const target = httpTarget(http, container, podIp);
		const url = `${target.scheme}://${target.host}:${target.port}${target.path}`;
		return {
			late: `Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
			run: async (signal) => outcomeOf(await httpGet(target, `kube-probe/${minorOf(options.version)}`, signal)),
		};
	}
	if (tcp !== undefined) {
		const [host, port] = [tcp.host || podIp, portOf(tcp.port, container)];
		return {
			late: `dial tcp ${host}:${port}: i/o timeout`,
			run: (signal) => tcpConnect(host, port, signal).then(() => ({ result: 'success', output: '' })),
		};
	}
	if (grpc !== undefined)
		return {
			run: async (signal) => {
				const status = await grpcHealth(podIp, grpc.port, grpc.service ?? '', timeoutMs, clock, signal);
				if (status === 'SERVING') return { result: 'success', output: '' };
				return { result: 'failure', output: `service unhealthy (responded with "${status}")` };
			},
		};
	throw new AppError('InvalidArgument', 'missing probe handler');
}

function outcomeOf({ status, body, foreignRedirect }: HttpAnswer): ProbeOutcome {
	if (foreignRedirect !== undefined) return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
	if (status >= 200 && status < 400) return { result: 'success', output: body };
	return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
}

/** References to variables of the container. As upstream's, whose value comes from elsewhere is empty here. */
function withValues(command: readonly string[], { env = [] }: Container): readonly string[] {
	const values = new Map(env.map(({ name, value = '' }) => [name, value]));
	return command.map((text) => expand(text, (name) => values.get(name)));
}

async function execProbe(
	command: readonly string[],
	id: string,
	timeoutMs: number,
	context: AgentContext,
	signal: AbortSignal,
): Promise<ProbeOutcome> {
	try {
		const { exitCode, stdout, stderr } = await context.runtime.exec(id, command, timeoutMs, signal);
		const output = Buffer.concat([stdout, stderr]).subarray(0, MAX_OUTPUT).toString('utf8');
		return { result: exitCode === 0 ? 'success' : 'failure', output };
	} catch (error) {
		signal.throwIfAborted();
		if (codeOf(error) === 'DeadlineExceeded')
			return { result: 'failure', output: `command timed out: "${command.join(' ')}" timed out after ${goDuration(timeoutMs)}` };
		return { result: 'error', output: messageOf(error) };
	}
}

function tcpConnect(host: string, port: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const socket = connect({ host, port });
		const onAbort = (): void => void socket.destroy(signal.reason as Error);
		signal.addEventListener('abort', onAbort, { once: true });
		socket.once('connect', () => {
			socket.destroy();
			resolve();
		});
		socket.once('error', (error) => reject(new AppError('Unavailable', dialMessage(error, host, port), { cause: error })));
		socket.once('close', () => signal.removeEventListener('abort', onAbort));
	});
}
