/** Lifecycle hooks: exec, httpGet and sleep. */
import type { LifecycleHandler, Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { PodContainer } from '../pod/containers.ts';
import { hostOf, httpTarget, type HttpTarget } from '../probe/target.ts';
import { httpGet } from '../probe/http.ts';

/** Rejects when the hook fails; the message is what the event says. */
export async function runHook(
	pod: Pod,
	container: PodContainer,
	handler: LifecycleHandler,
	containerId: string,
	podIp: string,
	context: AgentContext,
	signal: AbortSignal,
): Promise<void> {
	if (handler.exec !== undefined) {
		const result = await context.runtime.exec(containerId, handler.exec.command ?? [], 0, signal);
		if (result.exitCode === 0) return;
		const output = Buffer.concat([result.stdout, result.stderr]).toString('utf8');
		throw new AppError('Aborted', `command '${(handler.exec.command ?? []).join(' ')}' exited with ${result.exitCode}: ${output}`);
	}
	if (handler.httpGet !== undefined) {
		const target = httpTarget(handler.httpGet, container.spec, podIp);
		const userAgent = `kube-lifecycle/${minorOf(context.options.version)}`;
		try {
			// Any answer will do, as upstream has it.
			await httpGet(target, userAgent, signal);
		} catch (error) {
			if (signal.aborted || target.scheme !== 'https' || !speaksHttp(error)) throw error;
			// What it first failed with is what counts where this fails too.
			await httpGet(inTheClear(target), userAgent, signal).catch(() => {
				throw error;
			});
			context.figures.hookFallbacks.inc();
			const message = `request to HTTPS lifecycle hook ${hostOf(target)} got HTTP response, retry with HTTP succeeded`;
			podEvent(context, pod, 'Warning', 'LifecycleHTTPFallback', message);
		}
		return;
	}
	if (handler.sleep !== undefined) {
		await context.clock.sleep(handler.sleep.seconds * 1000, signal);
		return;
	}
	throw new AppError('Unimplemented', 'cannot run hook: unsupported handler type');
}

/** "1.36" of "v1.36.0". */
export function minorOf(version: string): string {
	return /^v?(\d+\.\d+)/.exec(version)?.[1] ?? version;
}

/** The same over HTTP, without what authorizes: it was meant for a connection that nobody reads. */
function inTheClear(target: HttpTarget): HttpTarget {
	const headers = Object.fromEntries(Object.entries(target.headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
	return { ...target, scheme: 'http', headers };
}

/** The server answered the TLS handshake in plain HTTP. */
function speaksHttp(error: unknown): boolean {
	const cause = error instanceof AppError ? error.cause : error;
	const code = (cause as { readonly code?: unknown } | undefined)?.code;
	return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' || code === 'EPROTO';
}
