/** All that the handlers share: one value, wired in shim.ts. */
import type { AtMost } from '../base/at-most.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Engine } from './engine/engine.ts';
import type { EventHub } from './event-hub.ts';
import type { HostAbilities } from './host-abilities.ts';
import type { ImageConfigs } from './images/image-configs.ts';
import type { ImageFilesystem } from './images/image-filesystem.ts';
import type { ImageUsers } from './images/image-users.ts';
import type { ImageVolumes } from './images/image-volumes.ts';
import type { PulledImages } from './images/pulled.ts';
import type { Leftovers } from './leftovers.ts';
import type { ContainerLogs } from './logs/container-logs.ts';
import type { PodNetworks } from './network/networks.ts';
import type { NamesInUse } from './names-in-use.ts';
import type { ShimOptions } from './options.ts';
import type { Checkpoint } from './state/checkpoint.ts';
import type { RuntimeState } from './state/state.ts';
import type { StatsCollector } from './stats/collector.ts';
import type { Streaming } from './streaming/streaming.ts';

export interface Context {
	readonly options: ShimOptions;
	/** Random, kept in the data folder: engine names of two shims never meet. */
	readonly instance: string;
	readonly namePrefix: string;
	readonly engine: Engine;
	/** Starts of containers under way in the engine. */
	readonly starts: AtMost;
	readonly host: HostAbilities;
	readonly state: RuntimeState;
	readonly checkpoint: Checkpoint;
	readonly network: PodNetworks;
	readonly logs: ContainerLogs;
	readonly events: EventHub;
	readonly names: NamesInUse;
	readonly leftovers: Leftovers;
	readonly pulled: PulledImages;
	readonly imageConfigs: ImageConfigs;
	readonly imageFilesystem: ImageFilesystem;
	readonly imageUsers: ImageUsers;
	readonly imageVolumes: ImageVolumes;
	readonly streaming: Streaming;
	readonly stats: StatsCollector;
	readonly pauseImage: string;
	/** Path of the native helper on the host. */
	readonly helperPath: string;
	readonly clock: Clock;
	readonly log: Log;
}

/** One RPC: a request and its answer. Errors are AppErrors. */
export type Handler<Request, Response> = (context: Context, request: Request, signal: AbortSignal) => Promise<Response>;
