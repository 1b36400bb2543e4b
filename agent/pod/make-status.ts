/** The status of a pod now: reads termination messages, then asks the pure function. */
import type { Pod, PodStatus } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import { messageOf } from '../../base/errors.ts';
import { readTerminationFile } from '../container/termination-file.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { lastLines } from '../server/log-tail.ts';
import { hostKindFault } from './addresses.ts';
import { containerNamed } from './containers.ts';
import type { PodMemory } from './memory.ts';
import type { Waiting } from './plan.ts';
import { handlerFeatures } from './runtime-handler.ts';
import { statusOf } from './status.ts';
import { terminations } from './terminations.ts';

/** Upstream's limits for termination messages. */
const MAX_FILE_BYTES = 4096;
const MAX_LOG_BYTES = 2048;
const MAX_LOG_LINES = 80;

export interface Ending {
	readonly ended: boolean;
	readonly failure?: Waiting;
}

export async function makeStatus(
	pod: Pod,
	seen: PodRuntime | undefined,
	memory: PodMemory,
	context: AgentContext,
	ending: Ending = { ended: false },
): Promise<PodStatus> {
	for (const container of seen?.containers ?? []) {
		if (container.state !== 'exited' || memory.terminationMessages.has(container.id)) continue;
		memory.terminationMessages.set(container.id, await terminationMessage(pod, container, context));
	}
	const before: PodStatus = memory.status ?? pod.status ?? {};
	const fault = hostKindFault(before.hostIP, context.options.nodeIps[0]);
	if (fault !== undefined) podEvent(context, pod, 'Warning', 'HostIPsIPFamilyMismatch', fault);
	const status = statusOf(pod, seen, before, {
		now: context.clock.now(),
		runtimeName: context.runtimeName,
		nodeIps: context.options.nodeIps,
		waiting: memory.waiting,
		ended: ending.ended,
		...(ending.failure === undefined ? {} : { failure: ending.failure }),
		conditions: ending.ended ? [memory.disruption?.condition].filter((c) => c !== undefined) : context.resizes.conditions(pod),
		recursiveReadOnly: handlerFeatures(seen?.sandboxes[0]?.runtimeHandler ?? '', context).recursiveReadOnlyMounts === true,
		actuated: (name) => context.resizes.actuated(pod, name),
		devices: (name) => {
			const spec = containerNamed(pod, name)?.spec;
			const { placed, dra } = context;
			return [...placed.devices.healthOf(pod.metadata.uid ?? '', name), ...(spec === undefined ? [] : dra.claims.healthOf(pod, spec))];
		},
		started: (c) => isStarted(pod, c, memory),
		ready: (c) => memory.probes.ready(c, containerNamed(pod, c.name)?.spec.readinessProbe !== undefined),
		terminationMessage: (c) => memory.terminationMessages.get(c.id) ?? '',
	});
	for (const labels of terminations(before, status)) context.figures.terminatedContainers.inc({ ...labels });
	if (status.phase === 'Running' && before.phase !== 'Running')
		context.figures.podStart.observe((context.clock.now() - memory.firstSeenAt) / 1000);
	memory.status = status;
	if (!isTerminal({ ...pod, status })) memory.alive = status;
	return status;
}

export function isStarted(pod: Pod, container: ContainerRuntime, memory: PodMemory): boolean {
	const hasProbe = containerNamed(pod, container.name)?.spec.startupProbe !== undefined;
	return !memory.starting.has(container.id) && memory.probes.started(container, hasProbe);
}

async function terminationMessage(pod: Pod, container: ContainerRuntime, context: AgentContext): Promise<string> {
	const spec = containerNamed(pod, container.name)?.spec;
	const { name, attempt } = container;
	const text = await readTerminationFile(context.options.rootDir, pod.metadata.uid ?? '', name, attempt, MAX_FILE_BYTES);
	if (text !== '' || spec?.terminationMessagePolicy !== 'FallbackToLogsOnError' || container.exitCode === 0) return text;
	// What could not be started has said nothing.
	if (container.logPath === '' || container.reason === 'ContainerCannotRun') return '';
	return lastLines(container.logPath, MAX_LOG_LINES, MAX_LOG_BYTES).catch(
		(error: unknown) => `Error on reading termination message from logs: ${messageOf(error)}`,
	);
}
