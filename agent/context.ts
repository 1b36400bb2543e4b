/** What the parts of one agent share. */
import type { Node, Pod, Service } from '../api/gen/types.ts';
import { PODS } from '../api/resources.ts';
import type { Condition } from '../base/condition.ts';
import type { Lister } from '../client/cache.ts';
import { referenceTo, type EventRecorder, type EventType } from '../client/events.ts';
import type { HostFacts } from '../host/facts.ts';
import type { CsiVolumes } from './csi/csi-volumes.ts';
import type { PodGroups } from './cgroup/pod-groups.ts';
import type { DraParts } from './dra/of-agent.ts';
import type { ImageParts } from './image/of-agent.ts';
import type { AgentMetrics } from './metrics.ts';
import type { FollowedObjects } from './volume/followed-objects.ts';
import type { ObjectReader } from './volume/objects.ts';
import type { Tokens } from './volume/tokens.ts';
import type { AgentDeps, AgentOptions } from './options.ts';
import { fieldPathOf, type PodContainer } from './pod/containers.ts';
import type { Resizes } from './resize/resizes.ts';
import type { ResourceRules, RuntimeHandler } from './runtime/runtime.ts';
import type { PlacementParts } from './topology/of-agent.ts';
import type { UserNamespaces } from './users/user-namespaces.ts';
import type { DnsConfig } from './network-identity/dns.ts';

export interface AgentContext extends AgentDeps {
	readonly options: AgentOptions;
	readonly recorder: EventRecorder;
	/** Asks the API each time: what a pod starts with is never old. */
	readonly objects: ObjectReader;
	/** For volumes of pods that run. */
	readonly followed: FollowedObjects;
	readonly tokens: Tokens;
	readonly users: UserNamespaces;
	readonly csi: CsiVolumes;
	readonly services: { readonly lister: Lister<Service>; synced(signal: AbortSignal): Promise<void> };
	/** This node as the API has it; undefined while that is not known. */
	readonly node: () => Node | undefined;
	/** Tells that `node` may answer something else. */
	readonly nodeChanged: Condition;
	readonly allocatable: Readonly<Record<string, string>>;
	readonly host: HostFacts;
	readonly groups: PodGroups;
	readonly resizes: Resizes;
	readonly placed: PlacementParts;
	readonly dra: DraParts;
	readonly resourceRules: ResourceRules;
	readonly figures: AgentMetrics;
	/** Limits of pulls, records of them, credential plug-ins; pulls go ahead without when absent. */
	readonly images?: ImageParts;
	/** Why this machine takes no such pod, beyond what its Node says; it does when absent. */
	readonly hostRefusal?: (pod: Pod) => { readonly reason: string; readonly message: string } | undefined;
	/** Why pods cannot have a network now; empty when they can. */
	readonly networkFault: () => string;
	readonly hostname: string;
	readonly hostDns: DnsConfig;
	readonly runtimeName: string;
	/** As the runtime last told of them, whatever the API knows. */
	readonly runtimeHandlers: () => readonly RuntimeHandler[];
}

/** An operation on control groups, measured. */
export async function onGroups(
	context: AgentContext,
	operation: 'create' | 'update' | 'destroy',
	work: (groups: PodGroups) => Promise<void>,
): Promise<void> {
	const { clock, figures, groups } = context;
	const from = clock.monotonic();
	await work(groups);
	figures.cgroups.observe({ operation_type: operation }, (clock.monotonic() - from) / 1000);
}

/** Records an event about a pod or one of its containers. */
export function podEvent(
	context: AgentContext,
	pod: Pod,
	type: EventType,
	reason: string,
	message: string,
	container?: PodContainer,
): void {
	if (pod.metadata.name === undefined) return;
	context.recorder.event(referenceTo(PODS, pod, container === undefined ? undefined : fieldPathOf(container)), type, reason, message);
}
