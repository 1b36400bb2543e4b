/** CSI volumes of a pod that runs: drivers that ask for it are called again with fresh tokens, and volumes that grew are expanded. */
import type { Pod, Volume } from '../../api/gen/types.ts';
import { withDeadline } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import { claimedVolume } from '../volume/claims.ts';
import type { VolumePath } from '../volume/volume-path.ts';
import type { AgentContext } from '../context.ts';
import { blocksOf, mountedPath } from './bring.ts';
import { expandOnNode, missingSize } from './expand.ts';
import { prepare, publish, turnOf } from './mount.ts';
import { sourceOfInline, sourceOfVolume, type CsiSource } from './source.ts';

const LOOK_MS = 5000;

/** What fails is tried again with the next look. */
export async function refreshCsi(pod: Pod, volume: Volume, context: AgentContext, signal: AbortSignal): Promise<void> {
	try {
		await refresh(pod, volume, context, signal);
	} catch (error) {
		if (signal.aborted) throw error;
		const { namespace = '', name = '' } = pod.metadata;
		context.log.warn('volume not refreshed', { pod: `${namespace}/${name}`, volume: volume.name, reason: messageOf(error) });
	}
}

async function refresh(pod: Pod, volume: Volume, context: AgentContext, signal: AbortSignal): Promise<void> {
	const place = context.csi.placeOf(pod.metadata.uid ?? '', volume.name);
	if (place !== undefined && place.source === undefined) return;
	// The pod is not to wait for an API that is away.
	using look = withDeadline(context.clock, LOOK_MS, 'Looking at a volume', signal);
	const claimed = volume.csi === undefined ? await claimedVolume(pod, volume, false, context.client, look.signal) : undefined;
	if (claimed !== undefined && claimed.volume.spec?.csi === undefined) return;
	const source: CsiSource =
		claimed === undefined ? sourceOfInline(pod, volume) : sourceOfVolume(claimed.volume, volume.persistentVolumeClaim?.readOnly === true);
	const object = await context.csi.object(source.driver, look.signal);
	const path = await mountedPath(pod, source, context);
	if (path === undefined) return;
	const given: VolumePath = source.block
		? { kind: 'device', path: blocksOf(pod, source, context).podLink, readOnly: source.readOnly }
		: { kind: 'folder', path, readOnly: source.readOnly };
	context.csi.note(pod.metadata.uid ?? '', volume.name, { path, source, claim: claimed?.claim.metadata.name, given });
	const again = object?.spec.requiresRepublish === true && !source.block;
	const grows = claimed !== undefined && missingSize(claimed) !== undefined;
	if (!again && !grows) return;
	// Its driver comes back before long; until then nothing is missing.
	if (!context.csi.drivers.has(source.driver)) return;
	const bringing = await prepare(pod, source, source.mountOptions, pod.spec?.securityContext?.fsGroup, context, signal);
	if (again) await context.csi.turns.run(turnOf(source), () => publish(bringing, context, signal));
	if (claimed !== undefined && grows) await expandOnNode(pod, claimed, bringing, path, context, signal);
}
