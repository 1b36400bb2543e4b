/** CreateVolume: empty, from a snapshot, or as a clone. The id follows from the name, so a repeated call finds what the first one made. */
import { AppError } from '../../base/errors.ts';
import { chooseData } from '../backends/choose.ts';
import { readCapabilities, type Capability, type FsType } from '../capability.ts';
import { backendOf, notFound, required, type Context, type Handler } from '../context.ts';
import { freezeAll } from '../snapshot/freeze-all.ts';
import { idOf, isId } from '../ids.ts';
import { checkMutable, readMutable, readParameters, sameStrings } from '../parameters.ts';
import { rootOf } from '../pool/still-to-take.ts';
import type { CreateVolumeRequest, CreateVolumeResponse, VolumeContentSource } from '../proto.ts';
import type { DataFacts, Source, VolumeRecord } from '../records/records.ts';
import { chooseSize, fitsRange, readRange } from '../size.ts';
import { checkTopology, poolTopology } from '../topology.ts';
import { volumeMessage } from './volume-message.ts';

export const createVolume: Handler<CreateVolumeRequest, CreateVolumeResponse> = async (context, request) => {
	const name = required('volume name', request.name);
	const capabilities = readCapabilities(request.volumeCapabilities);
	const mutable = readMutable(request.mutableParameters);
	readRange(request.capacityRange);
	const id = idOf('vol', name);
	const source = readSource(request.volumeContentSource);
	using _ = context.locks.take(id);
	const existing = context.volumes.get(id);
	if (existing !== undefined) {
		checkSame(existing, request, capabilities, source);
		return { volume: volumeMessage(context, existing) };
	}
	using _source = source === undefined ? undefined : holdSource(context, source);
	const origin = source === undefined ? undefined : originOf(context, source);
	const facts = decide(context, request, capabilities, origin?.facts);
	const backend = backendOf(context, facts);
	checkTopology(request.accessibilityRequirements, poolTopology(context.options.driverName, context.poolId));
	checkMutable(facts, mutable, { cannotErase: context.backends.cannotErase, cannotLimit: context.limits.missing });
	using _room = backend.enforcesSize ? await context.space.reserve(facts.sizeBytes) : undefined;
	const volume: VolumeRecord = {
		...facts,
		id,
		name,
		createdAtMs: context.clock.now(),
		parameters: request.parameters,
		mutableParameters: request.mutableParameters,
		source,
		root: origin?.root,
		publications: [],
	};
	const fill = async (dir: string): Promise<void> => {
		if (origin === undefined) return backend.make(dir, facts);
		await using _frozen = source?.kind === 'volume' ? await freezeAll(context, [source.id]) : undefined;
		await backend.copy(origin.dir, dir, facts);
	};
	await context.volumes.create(
		volume,
		{ fill, again: origin === undefined && backend.makesAgain(facts) },
		{ step: (what) => context.steps.done(`CreateVolume: ${what}`) },
	);
	return { volume: volumeMessage(context, volume) };
};

/** Everything that a second create of one name must agree in. */
function checkSame(
	existing: VolumeRecord,
	request: CreateVolumeRequest,
	capabilities: readonly Capability[],
	source: Source | undefined,
): void {
	const differs = (what: string): AppError => new AppError('AlreadyExists', `Volume "${request.name}" exists with another ${what}`);
	if (!fitsRange(existing.sizeBytes, request.capacityRange)) throw differs('size');
	if (JSON.stringify(existing.source) !== JSON.stringify(source)) throw differs('content source');
	if (capabilities.some((c) => c.access.kind !== existing.access)) throw differs('access type');
	const fsType = fsTypeOf(capabilities);
	if (fsType !== undefined && existing.fsType !== undefined && fsType !== existing.fsType) throw differs('file system');
	if (!sameStrings(existing.parameters, request.parameters)) throw differs('set of parameters');
}

function readSource(source: VolumeContentSource | undefined): Source | undefined {
	if (source === undefined) return undefined;
	switch (source.type?.$case) {
		case 'snapshot':
			return { kind: 'snapshot', id: required('snapshot id', source.type.value.snapshotId) };
		case 'volume':
			return { kind: 'volume', id: required('source volume id', source.type.value.volumeId) };
		case undefined:
			throw new AppError('InvalidArgument', 'The content source names neither a snapshot nor a volume');
	}
}

/** Several may copy from one snapshot; a volume stands frozen for each copy, and whoever thaws it first would thaw it under the others. */
function holdSource({ locks }: Context, { kind, id }: Source): Disposable {
	return kind === 'snapshot' ? locks.share(id) : locks.take(id);
}

interface Origin {
	readonly dir: string;
	readonly facts: DataFacts;
	readonly root: string | undefined;
}

function originOf(context: Context, { kind, id }: Source): Origin {
	const [folders, idKind] = kind === 'snapshot' ? ([context.snapshots, 'snap'] as const) : ([context.volumes, 'vol'] as const);
	const facts = isId(idKind, id) ? folders.get(id) : undefined;
	if (facts === undefined) throw notFound(idKind, id);
	return { dir: folders.dir(id), facts, root: 'volumeId' in facts ? facts.root : rootOf(facts) };
}

/** Back end, file system and size of the new volume; those of its origin where it has one. */
function decide(
	context: Context,
	request: CreateVolumeRequest,
	capabilities: readonly Capability[],
	origin: DataFacts | undefined,
): DataFacts {
	const { backend: asked } = readParameters(request.parameters);
	const access = capabilities[0]?.access.kind ?? 'mount';
	const fsType = fsTypeOf(capabilities);
	if (origin !== undefined) {
		if (origin.access !== access) throw invalid(`The content source is a ${origin.access} volume, not ${access}`);
		if (asked !== undefined && asked !== origin.backend)
			throw invalid(`The content source is in the back end ${origin.backend}, not ${asked}`);
		if (fsType !== undefined && origin.fsType !== undefined && fsType !== origin.fsType)
			throw invalid(`The content source has the file system ${origin.fsType}, not ${fsType}`);
		const { limit } = readRange(request.capacityRange);
		if (limit > 0 && limit < origin.sizeBytes)
			throw new AppError('OutOfRange', `The content source has ${origin.sizeBytes} bytes, more than the limit of ${limit}`);
		const limits = backendOf(context, origin).limits(origin);
		const size = chooseSize(request.capacityRange, { ...limits, minBytes: Math.max(limits.minBytes, origin.sizeBytes) }, origin.sizeBytes);
		return { backend: origin.backend, access, fsType: origin.fsType, sizeBytes: size };
	}
	return chooseData(context, { backend: asked, access, fsType, range: request.capacityRange });
}

function fsTypeOf(capabilities: readonly Capability[]): FsType | undefined {
	return capabilities.flatMap(({ access }) => (access.kind === 'mount' && access.fsType !== undefined ? [access.fsType] : []))[0];
}

function invalid(message: string): AppError {
	return new AppError('InvalidArgument', message);
}
