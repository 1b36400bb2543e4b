/** Bodies of review and token requests own their fields like any other object: metadata.managedFields is filled in as they are read. */
import { NOTHING_RESET } from '../../../api/apply/reset-fields.ts';
import { objectShape } from '../../../api/apply/kind-shape.ts';
import { trackUpdate } from '../../../api/apply/update.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { BodyCodec } from '../request/body-codec.ts';
import { managerOf } from '../registry/manager.ts';
import { requestInfo } from '../request/request-info.ts';
import { settleMetadata } from './posted-metadata.ts';

export function trackedCodec(codec: BodyCodec, clock: Clock): BodyCodec {
	return {
		write: (request, status, object) => codec.write(request, status, object),
		async read<T extends object>(request: Parameters<BodyCodec['read']>[0], kind: Parameters<BodyCodec['read']>[1]): Promise<T> {
			const body = await codec.read<T>(request, kind);
			const shape = objectShape(kind.group, kind.version, kind.kind);
			if (shape === undefined) return body;
			const object = body as unknown as KubeObject;
			const info = requestInfo(request.method, request.path, request.query);
			if (info.type === 'resource') settleMetadata(object, info);
			const manager = managerOf(request.query.get('fieldManager') ?? '', request);
			const subresource = info.type === 'resource' ? info.subresource : '';
			const now = timeOf(clock.now());
			const entries = trackUpdate(shape, { old: undefined, new: object, manager, subresource, now, reset: NOTHING_RESET });
			if (entries.length > 0) object.metadata = { ...object.metadata, managedFields: entries };
			return body;
		},
	};
}
