/** The probes of one pod: workers for the containers that run, and what they found. */
import type { ContainerStatus, Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { containerNamed, type PodContainer } from '../pod/containers.ts';
import type { ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { runProbe, type ProbeOutcome } from './run-probe.ts';
import { ProbeWorker, type ProbeType } from './worker.ts';

type ProbeLabels = Readonly<Record<'probe_type' | 'result' | 'container' | 'pod' | 'namespace' | 'pod_uid', string>>;

type DurationLabels = Readonly<Record<'probe_type' | 'container' | 'pod' | 'namespace', string>>;

/** As upstream has it, a probe that could not be made counts as none. */
type Counted = Exclude<ProbeOutcome['result'], 'error'>;

/** As the metric names them. */
const RESULTS: Readonly<Record<Counted, string>> = {
	success: 'successful',
	warning: 'successful',
	failure: 'failed',
};

export class PodProbes {
	readonly #context: AgentContext;
	readonly #wake: () => void;
	/** When the agent first saw the pod; containers older than this were started by an agent before. */
	readonly #since: number;
	/** What the metric counts of a container: taken back when it is gone. */
	readonly #counted = new Map<string, Map<string, ProbeLabels>>();
	/** Whose durations the metric holds, likewise. */
	readonly #durations = new Map<string, Map<string, DurationLabels>>();
	/** By container id, then type. */
	readonly #workers = new Map<string, Map<ProbeType, ProbeWorker>>();

	constructor(context: AgentContext, wake: () => void) {
		this.#context = context;
		this.#wake = wake;
		this.#since = context.clock.now();
	}

	/** Starts workers for running containers, ends those of others. */
	follow(pod: Pod, seen: PodRuntime, podIp: string): void {
		const running = seen.containers.filter((c) => c.state === 'running');
		for (const id of this.#workers.keys()) if (!running.some((c) => c.id === id)) this.#drop(id);
		if (pod.metadata.deletionTimestamp !== undefined) return;
		for (const container of running) {
			const spec = containerNamed(pod, container.name);
			if (spec === undefined || this.#workers.has(container.id)) continue;
			this.#add(pod, spec, container, podIp);
		}
	}

	/** The startup probe passed, or there is none. */
	started(container: ContainerRuntime, hasProbe: boolean): boolean {
		const startup = this.#workers.get(container.id)?.get('startup');
		return startup === undefined ? !hasProbe : startup.verdict === 'success';
	}

	ready(container: ContainerRuntime, hasProbe: boolean): boolean {
		const readiness = this.#workers.get(container.id)?.get('readiness');
		return readiness === undefined ? !hasProbe : readiness.verdict === 'success';
	}

	failed(container: ContainerRuntime): 'liveness' | 'startup' | undefined {
		const workers = this.#workers.get(container.id);
		if (workers?.get('startup')?.verdict === 'failure') return 'startup';
		return workers?.get('liveness')?.verdict === 'failure' ? 'liveness' : undefined;
	}

	/** Readiness goes on while the pod ends, the others stop. */
	ending(): void {
		for (const workers of this.#workers.values()) for (const [type, worker] of workers) if (type !== 'readiness') worker.stop();
	}

	stop(): void {
		for (const id of this.#workers.keys()) this.#drop(id);
	}

	#add(pod: Pod, spec: PodContainer, container: ContainerRuntime, podIp: string): void {
		const { startupProbe, livenessProbe, readinessProbe } = spec.spec;
		const workers = new Map<ProbeType, ProbeWorker>();
		this.#workers.set(container.id, workers);
		if (spec.kind !== 'app' && spec.kind !== 'sidecar') return;
		const startedAt = container.startedAt ?? container.createdAt;
		const adopted = startedAt < this.#since;
		const found = adopted ? statusBefore(pod, container) : undefined;
		for (const [type, probe] of [
			['startup', startupProbe],
			['liveness', livenessProbe],
			['readiness', readinessProbe],
		] as const) {
			if (probe === undefined) continue;
			const label = `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
			const worker = new ProbeWorker({
				type,
				probe,
				clock: this.#context.clock,
				startedAt,
				spread: adopted,
				before: (type === 'readiness' && found?.ready === true) || (type === 'startup' && found?.started === true) ? 'success' : undefined,
				run: (signal) => this.#timed(pod, container, label, () => runProbe(probe, spec.spec, container.id, podIp, this.#context, signal)),
				active: () => type === 'startup' || this.started(container, startupProbe !== undefined),
				changed: this.#wake,
				told: (outcome) => {
					if (outcome.result !== 'error') this.#count(pod, container, label, outcome.result);
					if (outcome.result === 'failure')
						podEvent(this.#context, pod, 'Warning', 'Unhealthy', `${label} probe failed: ${outcome.output}`, spec);
					if (outcome.result === 'warning')
						podEvent(this.#context, pod, 'Warning', 'ProbeWarning', `${label} probe warning: ${outcome.output}`, spec);
					if (outcome.result === 'error')
						podEvent(
							this.#context,
							pod,
							'Warning',
							'Unhealthy',
							`${label} probe errored and resulted in unknown state: ${outcome.output}`,
							spec,
						);
				},
			});
			workers.set(type, worker);
			worker
				.run()
				.catch((error: unknown) => this.#context.log.error('probe failed', { container: container.name, reason: messageOf(error), error }));
		}
	}

	/** As upstream has it, only what succeeded has a duration. */
	async #timed(pod: Pod, container: ContainerRuntime, type: string, work: () => Promise<ProbeOutcome>): Promise<ProbeOutcome> {
		const { clock, figures } = this.#context;
		const { name = '', namespace = '' } = pod.metadata;
		const labels = { probe_type: type, container: container.name, pod: name, namespace };
		const from = clock.monotonic();
		const outcome = await work();
		if (outcome.result !== 'success' && outcome.result !== 'warning') return outcome;
		figures.probeDuration.observe(labels, (clock.monotonic() - from) / 1000);
		const timed = this.#durations.get(container.id) ?? new Map<string, DurationLabels>();
		this.#durations.set(container.id, timed.set(type, labels));
		return outcome;
	}

	#count(pod: Pod, { id, name: container }: ContainerRuntime, type: string, result: Counted): void {
		const { name = '', namespace = '', uid = '' } = pod.metadata;
		const labels = { probe_type: type, result: RESULTS[result], container, pod: name, namespace, pod_uid: uid };
		this.#context.figures.probeTotal.inc(labels);
		const counted = this.#counted.get(id) ?? new Map<string, ProbeLabels>();
		this.#counted.set(id, counted.set(`${type}/${result}`, labels));
	}

	#drop(id: string): void {
		for (const worker of this.#workers.get(id)?.values() ?? []) worker.stop();
		this.#workers.delete(id);
		for (const labels of this.#counted.get(id)?.values() ?? []) this.#context.figures.probeTotal.remove(labels);
		this.#counted.delete(id);
		for (const labels of this.#durations.get(id)?.values() ?? []) this.#context.figures.probeDuration.remove(labels);
		this.#durations.delete(id);
	}
}

/** What the API was told of this very container: an agent that starts again does not make it unready. */
function statusBefore(pod: Pod, container: ContainerRuntime): ContainerStatus | undefined {
	const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
	return [...initContainerStatuses, ...containerStatuses].find((s) => s.containerID?.endsWith(`://${container.id}`) === true);
}
