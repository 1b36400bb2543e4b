/** Kinds that are served in more versions than the stored one, whose fields differ. Pure. */
import type { KindName } from '../../../api/kind-name.ts';
import { apiVersionOf, type KubeObject } from '../../../api/resource.ts';
import { HPA_CONVERSION } from './autoscaler-conversion.ts';
import { EVENT_CONVERSION } from './event-conversion.ts';
import type { Converter } from './kinds.ts';

interface Versions {
	readonly other: KindName;
	readonly stored: KindName;
	readonly conversion: Converter;
}

const versions = (kind: string, other: readonly [string, string], stored: readonly [string, string], conversion: Converter): Versions => ({
	other: { group: other[0], version: other[1], kind },
	stored: { group: stored[0], version: stored[1], kind },
	conversion,
});

export const VERSIONS: readonly Versions[] = [
	versions('Event', ['events.k8s.io', 'v1'], ['', 'v1'], EVENT_CONVERSION),
	versions('HorizontalPodAutoscaler', ['autoscaling', 'v1'], ['autoscaling', 'v2'], HPA_CONVERSION),
];

export interface OtherVersion {
	readonly kind: KindName;
	/** To the version that was asked for. */
	readonly convert: (object: KubeObject) => KubeObject;
}

/** The version of the asked kind that an object says it is in; undefined where that is the asked one, or none of its kind. */
export function otherVersion(asked: KindName, { apiVersion, kind }: Partial<KubeObject>): OtherVersion | undefined {
	if (kind !== asked.kind) return undefined;
	for (const { other, stored, conversion } of VERSIONS) {
		if (is(asked, stored) && apiVersion === apiVersionOf(other)) return { kind: other, convert: conversion.toStored };
		if (is(asked, other) && apiVersion === apiVersionOf(stored)) return { kind: stored, convert: conversion.fromStored };
	}
	return undefined;
}

function is(a: KindName, b: KindName): boolean {
	return a.kind === b.kind && a.group === b.group && a.version === b.version;
}
