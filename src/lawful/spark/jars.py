"""Which jars Spark needs for addresses that it does not understand by itself."""

from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

_PACKAGES = {
    "s3a": "org.apache.hadoop:hadoop-aws",
    "abfs": "org.apache.hadoop:hadoop-azure",
    "abfss": "org.apache.hadoop:hadoop-azure",
    "gs": "com.google.cloud.bigdataoss:gcs-connector:hadoop3-2.2.26",
}


def package_for(scheme: str) -> str | None:
    """The Maven package for addresses of this scheme, in the version that fits this Spark."""
    package = _PACKAGES.get(scheme)
    if package is None or package.count(":") == 2:
        return package
    jars = sorted(Path(_find_spark_home(), "jars").glob("hadoop-client-api-*.jar"))
    version = jars[-1].stem.removeprefix("hadoop-client-api-") if jars else "VERSION"
    return f"{package}:{version}"
