/** What a status says beyond the Pod and the runtime. */
import type { PodCondition, ResourceRequirements, ResourceStatus } from '../../api/gen/types.ts';
import type { ContainerRuntime } from '../runtime/runtime.ts';
import type { Waiting } from './plan.ts';

export interface StatusFacts {
	readonly now: number;
	/** "docker", the scheme of container ids. */
	readonly runtimeName: string;
	readonly nodeIps: readonly string[];
	/** Why a container does not run, by name. */
	readonly waiting: ReadonlyMap<string, Waiting>;
	/** Nothing of the pod runs any more, and nothing will. */
	readonly ended: boolean;
	/** Ended by force: the phase is Failed for this reason. */
	readonly failure?: Waiting;
	/** Beyond those that follow from the containers, without their times. */
	readonly conditions?: readonly PodCondition[];
	/** Mounts can be read-only all the way down; not when absent. */
	readonly recursiveReadOnly?: boolean;
	/** What the runtime was last told of a container's resources, by name. */
	actuated?(name: string): ResourceRequirements | undefined;
	/** The devices that a container was given, and how they are. */
	devices?(name: string): readonly ResourceStatus[];
	started(container: ContainerRuntime): boolean;
	ready(container: ContainerRuntime): boolean;
	/** The termination message, where the runtime has none. */
	terminationMessage(container: ContainerRuntime): string;
}
