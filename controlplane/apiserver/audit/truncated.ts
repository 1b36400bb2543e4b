/** Events that are too large lose their objects, and go altogether when that is not enough (upstream's truncating backend). */
import { goJson } from '../../../api/go-json.ts';
import type { AuditBackend, AuditEvent } from './event.ts';
import type { Losses } from './losses.ts';

const MARK = 'audit.k8s.io/truncated';

export function truncated(backend: AuditBackend, maxEventBytes: number, losses: Losses): AuditBackend {
	return {
		name: backend.name,
		take(event) {
			const fitting = fit(event, maxEventBytes);
			if (fitting !== undefined) return backend.take(fitting);
			losses('truncate', [event], 'event is too large even after truncating');
			// The request is not to blame.
			return true;
		},
		close: () => backend.close(),
	};
}

/** Undefined: too large even without its objects. Pure. */
export function fit(event: AuditEvent, maxBytes: number): AuditEvent | undefined {
	if (sizeOf(event) <= maxBytes) return event;
	const { requestObject: _q, responseObject: _s, ...small } = event;
	const marked = { ...small, annotations: { ...small.annotations, [MARK]: 'true' } };
	return sizeOf(marked) <= maxBytes ? marked : undefined;
}

/** Of its line. */
function sizeOf(event: AuditEvent): number {
	return Buffer.byteLength(goJson(event)) + 1;
}
