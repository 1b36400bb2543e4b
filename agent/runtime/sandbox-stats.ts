/** What sandboxes use, of runtimes that refuse the whole list because of one of them, too. */
import { codeOf } from '../../base/errors.ts';
import { PodSandboxState, type PodSandboxStats, type RuntimeServiceService } from '../../wire/gen/cri.ts';
import type { GrpcClient } from '../../wire/grpc/client.ts';

type Client = Pick<GrpcClient<typeof RuntimeServiceService>, 'listPodSandboxStats' | 'listPodSandbox' | 'podSandboxStats'>;

/** What containerd answers for a list with a sandbox in it that has ended. */
const OF_ONE: ReadonlySet<string> = new Set(['Unknown', 'NotFound']);

/**
 * The list where the runtime gives one. Where it does not (containerd 1.6 for as long as a sandbox has ended and is not removed), each sandbox that is
 * ready is asked on its own, and those are left out that have ended meanwhile; the first refusal is thrown where all of them refuse.
 */
export async function sandboxStats(
	runtime: Client,
	labelSelector: Record<string, string>,
	call: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<readonly PodSandboxStats[]> {
	const ofOne = (error: unknown): boolean => !call.signal.aborted && OF_ONE.has(codeOf(error));
	try {
		return (await runtime.listPodSandboxStats({ filter: { id: '', labelSelector } }, call)).stats;
	} catch (error) {
		if (!ofOne(error)) throw error;
	}
	const filter = { id: '', state: { state: PodSandboxState.SANDBOX_READY }, labelSelector };
	const { items } = await runtime.listPodSandbox({ filter }, call);
	const answers = await Promise.allSettled(items.map(({ id }) => runtime.podSandboxStats({ podSandboxId: id }, call)));
	const refused = answers.flatMap((a) => (a.status === 'rejected' ? [a.reason as unknown] : []));
	const failure = refused.find((error) => !ofOne(error)) ?? (refused.length === items.length ? refused[0] : undefined);
	if (failure !== undefined) throw failure;
	return answers.flatMap((a) => (a.status === 'fulfilled' && a.value.stats !== undefined ? [a.value.stats] : []));
}
