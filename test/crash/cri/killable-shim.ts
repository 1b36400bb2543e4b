/** A shim that can be killed and comes back, as under a supervisor; its clients wait for it. */
import { realClock } from '../../../base/clock.ts';
import { ImageServiceService, RuntimeServiceService } from '../../../cri/proto.ts';
import type { ShimOptions } from '../../../cri/shim.ts';
import { grpcClient, type GrpcClient } from '../../../wire/grpc/client.ts';
import { KillableProcess, SOURCE_FLAGS, type Program } from '../../tools/killable-process.ts';

/** The program as it stands in the sources. */
const SOURCES: Program = { file: new URL('./shim-process.ts', import.meta.url), nodeFlags: SOURCE_FLAGS };

export class KillableShim extends KillableProcess {
	readonly options: ShimOptions;
	readonly runtime: GrpcClient<typeof RuntimeServiceService>;
	readonly images: GrpcClient<typeof ImageServiceService>;

	static async start(options: ShimOptions, program: Program = SOURCES): Promise<KillableShim> {
		const address = options.socketPath;
		const shim = new KillableShim(
			options,
			program,
			await grpcClient(RuntimeServiceService, { address, clock: realClock }),
			await grpcClient(ImageServiceService, { address, clock: realClock }),
		);
		await shim.up();
		return shim;
	}

	private constructor(
		options: ShimOptions,
		program: Program,
		runtime: GrpcClient<typeof RuntimeServiceService>,
		images: GrpcClient<typeof ImageServiceService>,
	) {
		super(program, [JSON.stringify(options)]);
		this.options = options;
		this.runtime = runtime;
		this.images = images;
	}

	override async [Symbol.asyncDispose](): Promise<void> {
		await super[Symbol.asyncDispose]();
		this.runtime.close();
		this.images.close();
	}
}
