/** componentstatuses: the health of the parts, as a deprecated virtual resource. */
import { notFound } from '../../../api/status.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { wanted } from '../answer/accept.ts';
import { commonHeaders, formatted } from '../answer/formats.ts';
import { tableOf } from '../answer/tables.ts';
import { notAcceptableView, partial, partialList, type Viewed } from '../answer/views.ts';
import { selection, type Selectable } from '../registry/selection.ts';
import { listOptions } from '../request/options.ts';
import type { ApiRequest, ApiResponse, SubresourceHandler } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';

const KIND = { resource: { group: '', kind: 'ComponentStatus', namespaced: false }, strategy: {} } satisfies Viewed & Selectable;
/** What selectors do not look at, and labels, of which there are none. */
const UNSTORED = { bytes: new Uint8Array(), versionAt: 0, labels: {} };
const HEAD = { kind: 'ComponentStatus', apiVersion: 'v1' };

export interface Component {
	/** "etcd-0", "scheduler", "controller-manager" */
	readonly name: string;
	/** Where it is told what is wrong; the message unless said otherwise. */
	readonly failsWith?: 'message' | 'error';
	/** Resolves with a word when healthy ("ok"), rejects when not. */
	check(signal: AbortSignal): Promise<string>;
}

type Stated = KubeObject & { readonly conditions: readonly object[] };

export function componentStatuses(codec: BodyCodec, components: () => readonly Component[], clock: Clock): SubresourceHandler {
	const statusOf = async (component: Component, signal: AbortSignal): Promise<Stated> => {
		const found = await component.check(signal).then(
			(message) => ({ status: 'True', message }),
			(error: unknown) => ({ status: 'False', [component.failsWith ?? 'message']: messageOf(error) }),
		);
		return { ...HEAD, metadata: { name: component.name }, conditions: [{ type: 'Healthy', ...found }] };
	};
	return {
		group: '',
		resource: 'componentstatuses',
		subresource: '',
		async handle(request, { name }) {
			request.warn('v1 ComponentStatus is deprecated in v1.19+');
			if (name !== '') {
				const one = components().find((c) => c.name === name);
				if (one === undefined) throw notFound({ group: '', plural: 'componentstatus' }, name);
				const status = await statusOf(one, request.signal);
				return viewed(request, [status], false, clock) ?? codec.write(request, 200, status);
			}
			const { labelSelector, fieldSelector } = listOptions(request.query, false);
			const selected = selection(KIND, labelSelector, fieldSelector);
			const isSelected = (one: Component): boolean => selected.matches({ ...UNSTORED, fields: { 'metadata.name': one.name } });
			const wantedOnes = components().filter(isSelected);
			const all = await Promise.all(wantedOnes.map((c) => statusOf(c, request.signal)));
			const items = all.map(({ metadata, conditions }) => ({ metadata, conditions }));
			const list = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items };
			return viewed(request, all, true, clock) ?? codec.write(request, 200, list);
		},
	};
}

/** Undefined: the client wants the objects themselves. */
function viewed(request: ApiRequest, statuses: readonly KubeObject[], isList: boolean, clock: Clock): ApiResponse | undefined {
	const want = wanted(request);
	const { view, viewVersion } = want;
	if (view === 'object') return undefined;
	if (view !== 'table' && (view === 'metadataList') !== isList) throw notAcceptableView(KIND, want);
	const seen = (): object => {
		if (view === 'table') return tableOf(request, KIND, statuses, undefined, viewVersion, clock.now());
		return isList ? partialList(KIND, statuses, undefined, viewVersion) : partial(KIND, statuses[0] as KubeObject, viewVersion);
	};
	return { type: 'bytes', status: 200, headers: commonHeaders(want.mediaType), body: formatted(seen(), want.mediaType, want.pretty) };
}
