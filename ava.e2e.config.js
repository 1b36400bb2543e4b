// End-to-end, crash and conformance tests: whole clusters on a real engine, one after the other.
import config from './ava.config.js';

export default {
	...config,
	files: ['test/e2e/**/*.test.ts', 'test/crash/**/*.test.ts', 'test/conformance/**/*.test.ts'],
	concurrency: 1,
	timeout: '15m',
};
