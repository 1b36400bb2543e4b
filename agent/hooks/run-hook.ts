/** Lifecycle hooks: exec, httpGet and sleep. */
import type { HTTPGetAction, LifecycleHandler, Pod } from '../../api/gen/types.ts';
import { goQuote } from '../../api/go-quote.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { PodContainer } from '../pod/containers.ts';
import { hostOf, httpTarget, type HttpTarget } from '../probe/target.ts';
import { httpGet } from '../probe/http.ts';

/** Rejects when the hook fails, in upstream's words (lifecycle.handlerRunner): they are for the container's status and the log, since they may hold secrets. */
export async function runHook(
	pod: Pod,
	container: PodContainer,
	handler: LifecycleHandler,
	containerId: string,
	podIp: string,
	context: AgentContext,
	signal: AbortSignal,
): Promise<void> {
	const { name = '', namespace = '', uid = '' } = pod.metadata;
	const failing = async (hook: string, work: Promise<void>): Promise<void> => {
		try {
			await work;
		} catch (cause) {
			if (signal.aborted) throw cause;
			const of = `for Container ${goQuote(container.spec.name)} in Pod ${goQuote(`${name}_${namespace}(${uid})`)}`;
			throw new AppError('Aborted', `${hook} ${of} failed - error: ${messageOf(cause)}`, { cause });
		}
	};
	const { exec, httpGet: http, sleep } = handler;
	if (exec !== undefined) {
		const command = exec.command ?? [];
		return failing(`Exec lifecycle hook ([${command.join(' ')}])`, execHook(command, containerId, context, signal));
	}
	if (http !== undefined)
		return failing(`HTTP lifecycle hook (${http.path ?? ''})`, httpHook(pod, container, http, podIp, context, signal));
	if (sleep !== undefined) return failing(`Sleep lifecycle hook (${sleep.seconds})`, sleepHook(sleep.seconds, context, signal));
	throw new AppError('Unimplemented', `Cannot run handler: invalid handler: ${Object.keys(handler)[0] ?? 'none'}`);
}

async function sleepHook(seconds: number, { clock, figures }: AgentContext, signal: AbortSignal): Promise<void> {
	try {
		await clock.sleep(seconds * 1000, signal);
	} catch (error) {
		figures.sleepsCutShort.inc();
		throw error;
	}
}

async function execHook(command: readonly string[], containerId: string, { runtime }: AgentContext, signal: AbortSignal): Promise<void> {
	const failed = (why: string, output: string, cause?: unknown): AppError =>
		new AppError('Aborted', `${why}, message: ${goQuote(output)}`, { cause });
	const { exitCode, stdout, stderr } = await runtime.exec(containerId, command, 0, signal).catch((cause: unknown) => {
		throw failed(messageOf(cause), '', cause);
	});
	if (exitCode === 0) return;
	const text = (...parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');
	throw failed(`command '${command.join(' ')}' exited with ${exitCode}: ${text(stderr)}`, text(stdout, stderr));
}

async function httpHook(
	pod: Pod,
	container: PodContainer,
	action: HTTPGetAction,
	podIp: string,
	context: AgentContext,
	signal: AbortSignal,
): Promise<void> {
	const target = httpTarget(action, container.spec, podIp);
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
