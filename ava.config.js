// Tests run the TypeScript sources as they are. Worker threads are off: threads with large .ts graphs crash Node 24.
export default {
	files: ['**/*.test.ts', '!test/e2e/**', '!test/conformance/**', '!test/crash/**', '!dist/**'],
	extensions: { ts: 'module' },
	workerThreads: false,
	timeout: '2m',
	nodeArguments: ['--disable-warning=ExperimentalWarning'],
};
