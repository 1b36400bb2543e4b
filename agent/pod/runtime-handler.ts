/** The runtime's handler for a pod: what its RuntimeClass names, or the default one. */
import type { Pod } from '../../api/gen/types.ts';
import { RUNTIME_CLASSES } from '../../api/resources.ts';
import { AppError } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { RuntimeHandler } from '../runtime/runtime.ts';
import { isNotFound } from '../volume/objects.ts';

/** '' is the default handler. */
export async function runtimeHandlerOf(pod: Pod, context: AgentContext, signal: AbortSignal): Promise<string> {
	const name = pod.spec?.runtimeClassName ?? '';
	if (name === '') return '';
	try {
		return (await context.client.get(RUNTIME_CLASSES, name, { signal })).handler;
	} catch (error) {
		if (!isNotFound(error)) throw error;
		const message = `RuntimeClass "${name}" not found`;
		podEvent(context, pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${message}`);
		throw new AppError('NotFound', message, { cause: error });
	}
}

/** What the runtime says that a handler of it can do. */
export function handlerFeatures(handler: string, { runtimeHandlers }: Pick<AgentContext, 'runtimeHandlers'>): Partial<RuntimeHandler> {
	return runtimeHandlers().find(({ name }) => name === handler) ?? {};
}
