/** The users of a pod: its own where it asks for them and the runtime can, the machine's else. */
import type { Pod } from '../../api/gen/types.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { RuntimeHandler } from '../runtime/runtime.ts';
import { uidOf } from '../pod/uid.ts';
import type { IdRange } from './id-range.ts';

/**
 * Undefined for the machine's. AppError where it cannot have its own, which is told of at the pod where that keeps it from a sandbox.
 * @param makesSandbox false: it has one, and a container is started
 */
export async function usersOfPod(pod: Pod, handler: string, makesSandbox: boolean, context: AgentContext): Promise<IdRange | undefined> {
	if (pod.spec?.hostUsers !== false) return undefined;
	try {
		const fault = userNamespaceFault(handler, context.runtimeHandlers());
		if (fault !== '') throw new AppError('Unimplemented', fault);
		return await context.users.give(uidOf(pod));
	} catch (error) {
		if (!makesSandbox) {
			const { name = '', namespace = '' } = pod.metadata;
			const message = `GeneratePodSandboxConfig for pod "${name}_${namespace}(${uidOf(pod)})" failed: ${messageOf(error)}`;
			throw new AppError(codeOf(error), message, { cause: error });
		}
		podEvent(context, pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${messageOf(error)}`);
		throw error;
	}
}

/** Why pods of the handler cannot have users of their own, in upstream's words; empty where they can. @param handler empty for the default one */
export function userNamespaceFault(handler: string, handlers: readonly RuntimeHandler[]): string {
	const found = handlers.find(({ name }) => name === handler);
	if (found?.userNamespaces === true) return '';
	const who = handler === '' ? 'runtime' : `RuntimeClass handler "${handler}"`;
	const unknown = found === undefined && handlers.length > 0 ? `: the handler "${handler}" is not known` : '';
	return `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces${unknown}`;
}
