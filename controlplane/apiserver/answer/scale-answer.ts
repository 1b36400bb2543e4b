/** A Scale as the client wants to see it: itself, as a row of a table, or its metadata only. */
import type { KubeObject } from '../../../api/resource.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { wanted, type Wanted } from './accept.ts';
import { commonHeaders, formatted } from './formats.ts';
import { tableOf } from './tables.ts';
import { notAcceptableView, partial, type Viewed } from './views.ts';

const SCALES: Viewed = { resource: { group: 'autoscaling', kind: 'Scale' }, strategy: {} };
/** Of custom resources, in their version and with columns of their own (apiextensions' scaleColumnDefinition). */
const CUSTOM_SCALES: Viewed = { ...SCALES, printer: 'CustomScale', goPackage: 'v1' };

export function answerScale(request: ApiRequest, scale: KubeObject, isCustom: boolean, now: number): ApiResponse {
	const want = wanted(request);
	const body = formatted(viewOf(request, isCustom ? CUSTOM_SCALES : SCALES, scale, want, now), want.mediaType, want.pretty);
	return { type: 'bytes', status: 200, headers: commonHeaders(want.mediaType), body };
}

function viewOf(request: ApiRequest, kind: Viewed, scale: KubeObject, want: Wanted, now: number): object {
	switch (want.view) {
		case 'object':
			return scale;
		case 'table':
			return tableOf(request, kind, [scale], undefined, want.viewVersion, now);
		case 'metadata':
			return partial(kind, scale, want.viewVersion);
		case 'metadataList':
			throw notAcceptableView(kind, want);
	}
}
