/** A Scale as the client wants to see it: itself, as a row of a table, or its metadata only. */
import type { KubeObject } from '../../../api/resource.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { wanted, type Wanted } from './accept.ts';
import { commonHeaders, formatted } from './formats.ts';
import { tableOf } from './tables.ts';
import { notAcceptableView, partial, type Viewed } from './views.ts';

const SCALES: Viewed = { resource: { group: 'autoscaling', kind: 'Scale' }, strategy: {} };

export function answerScale(request: ApiRequest, scale: KubeObject, now: number): ApiResponse {
	const want = wanted(request);
	const body = formatted(viewOf(request, scale, want, now), want.mediaType, want.pretty);
	return { type: 'bytes', status: 200, headers: commonHeaders(want.mediaType), body };
}

function viewOf(request: ApiRequest, scale: KubeObject, want: Wanted, now: number): object {
	switch (want.view) {
		case 'object':
			return scale;
		case 'table':
			return tableOf(request, SCALES, [scale], undefined, want.viewVersion, now);
		case 'metadata':
			return partial(SCALES, scale, want.viewVersion);
		case 'metadataList':
			throw notAcceptableView(SCALES, want);
	}
}
