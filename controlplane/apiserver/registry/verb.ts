/** A verb on resources: what it is asked for, and how it answers. */
import type { ApiRequest, ApiResponse, Maybe } from '../contracts.ts';
import type { Parts } from './context.ts';
import type { Kind } from './kinds.ts';

export interface Target {
	readonly kind: Kind;
	readonly namespace: string;
	readonly name: string;
	readonly subresource: string;
}

export type Verb = (parts: Parts, request: ApiRequest, target: Target) => Maybe<ApiResponse>;
