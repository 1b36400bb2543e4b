/**
 * How many volumes a node may have of a driver changes while it runs: the driver is asked again as often as its CSIDriver says
 * (nodeAllocatableUpdatePeriodSeconds), and where the attaching of a volume failed since there was no room. The CSINode says so then.
 */
import type { CSIDriver, VolumeAttachment } from '../../api/gen/types.ts';
import { VOLUME_ATTACHMENTS } from '../../api/resources.ts';
import { messageOf } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { CALL_MS, type CsiDriver } from './drivers.ts';
import { attachmentName } from './names.ts';
import { writeDriver } from './node-objects.ts';

/** Of gRPC. */
const RESOURCE_EXHAUSTED = 8;

/** 0: it is asked when it registers, and not again. Pure. */
export function allocatableMs(object: CSIDriver | undefined): number {
	return (object?.spec.nodeAllocatableUpdatePeriodSeconds ?? 0) * 1000;
}

/** Of a CSIDriver that has a period: whether the volume could not be attached since the node is full. The driver has been asked again then. */
export async function isFull(driver: string, handle: string, context: AgentContext, signal: AbortSignal): Promise<boolean> {
	const { client, csi, log, options } = context;
	if (allocatableMs(await csi.object(driver, signal)) === 0) return false;
	const key = attachmentName(handle, driver, options.nodeName);
	const attachment = await client.get(VOLUME_ATTACHMENTS, key, { signal }).catch((error: unknown): VolumeAttachment | undefined => {
		log.warn('cannot see whether the node is full', { driver, reason: messageOf(error) });
		return undefined;
	});
	if (attachment?.status?.attachError?.errorCode !== RESOURCE_EXHAUSTED) return false;
	await updateDriver(csi.drivers.get(driver), context, signal);
	return true;
}

/** Asks each driver with a period whenever that is over. Until the signal aborts. */
export async function keepAllocatable(context: AgentContext, signal: AbortSignal): Promise<void> {
	const { csi, clock } = context;
	const asked = new Map<string, { readonly driver: CsiDriver; readonly periodMs: number; at: number }>();
	while (!signal.aborted) {
		let looked = false;
		// From here on, so that nothing is missed that comes about during the look.
		const changed = csi.drivers.changed.until(() => looked || !(looked = true), signal).catch(() => {});
		const now = clock.monotonic();
		let waitMs = Number.POSITIVE_INFINITY;
		for (const driver of csi.drivers.all()) {
			const periodMs = allocatableMs(await csi.object(driver.name, signal));
			const before = asked.get(driver.name);
			// Who registers anew has just been asked.
			const turn = before?.driver === driver && before.periodMs === periodMs ? before : { driver, periodMs, at: now };
			asked.set(driver.name, turn);
			if (periodMs === 0) continue;
			if (now - turn.at >= periodMs) {
				turn.at = now;
				await updateDriver(driver, context, signal);
			}
			waitMs = Math.min(waitMs, turn.at + periodMs - now);
		}
		using _timer = waitMs === Number.POSITIVE_INFINITY ? undefined : clock.after(waitMs, () => csi.drivers.changed.changed());
		await changed;
	}
}

/** A failure is told of; the next time is soon enough. */
async function updateDriver({ name, node }: CsiDriver, { client, clock, log, options }: AgentContext, signal: AbortSignal): Promise<void> {
	try {
		const info = await node.nodeGetInfo({}, { timeoutMs: CALL_MS, signal });
		await writeDriver({ client, clock, nodeName: options.nodeName }, name, info, signal);
	} catch (error) {
		if (!signal.aborted) log.warn('the limit of volumes is not updated', { driver: name, reason: messageOf(error) });
	}
}
