/** One try of a probe. */
import { connect } from 'node:net';
import type { Container, Probe } from '../../api/gen/types.ts';
import { withDeadline } from '../../base/abort.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { minorOf } from '../hooks/run-hook.ts';
import { dialMessage } from './dial-error.ts';
import { grpcHealth } from './grpc.ts';
import { httpGet } from './http.ts';
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
	if (probe.exec !== undefined) return execProbe(probe.exec.command ?? [], containerId, timeoutMs, context, signal);
	using deadline = withDeadline(context.clock, timeoutMs, 'probe', signal);
	try {
		if (probe.httpGet !== undefined) {
			const answer = await httpGet(
				httpTarget(probe.httpGet, container, podIp),
				`kube-probe/${minorOf(context.options.version)}`,
				deadline.signal,
			);
			if (answer.foreignRedirect !== undefined)
				return { result: 'warning', output: `Probe terminated redirects, Response body: ${answer.body}` };
			if (answer.status >= 200 && answer.status < 400) return { result: 'success', output: answer.body };
			return { result: 'failure', output: `HTTP probe failed with statuscode: ${answer.status}` };
		}
		if (probe.tcpSocket !== undefined) {
			const host = probe.tcpSocket.host || podIp;
			await tcpConnect(host, portOf(probe.tcpSocket.port, container), deadline.signal);
			return { result: 'success', output: '' };
		}
		if (probe.grpc !== undefined) {
			const status = await grpcHealth(podIp, probe.grpc.port, probe.grpc.service ?? '', timeoutMs, context.clock, deadline.signal);
			return status === 'SERVING'
				? { result: 'success', output: '' }
				: { result: 'failure', output: `service unhealthy (responded with "${status}")` };
		}
	} catch (error) {
		signal.throwIfAborted();
		return { result: 'failure', output: deadline.signal.aborted ? lateMessage(probe, container, podIp, timeoutMs) : messageOf(error) };
	}
	return { result: 'error', output: 'missing probe handler' };
}

/** Upstream's words for a probe without an answer in time. */
function lateMessage({ httpGet: http, tcpSocket: tcp }: Probe, container: Container, podIp: string, timeoutMs: number): string {
	if (http !== undefined) {
		const { scheme, host, port, path } = httpTarget(http, container, podIp);
		return `Get "${scheme}://${host}:${port}${path}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
	}
	if (tcp !== undefined) return `dial tcp ${tcp.host || podIp}:${portOf(tcp.port, container)}: i/o timeout`;
	return `timeout: health rpc did not complete within ${timeoutMs / 1000}s`;
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
			return { result: 'failure', output: `command timed out: "${command.join(' ')}" timed out after ${timeoutMs / 1000}s` };
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
